//! What is known of a call when it comes in. Everything a caller chooses is bounded and made fit to be shown: the log is
//! read on terminals.

use std::net::SocketAddr;

use api::routes::{self, Audited, Route};
use axum::{
    extract::{ConnectInfo, MatchedPath, RawPathParams, Request},
    http::header,
};
use types::{
    RequestId,
    audit::{Object, Origin},
};

const NAME_LIMIT: usize = 128;
const AGENT_LIMIT: usize = 100;
const PROJECT: &str = "project";

/// Travels with the request.
#[derive(Debug, Clone)]
pub struct Call {
    pub route: &'static Route,
    pub request: RequestId,
    pub origin: Origin,
    pub object: Object,
    /// As the path has it: a name, an id, or nothing that exists.
    pub project: Option<String>,
}

impl Call {
    /// Nothing when calls of this route are not kept.
    pub fn of(request: &Request, parameters: Option<&RawPathParams>) -> Option<Self> {
        let path = request.extensions().get::<MatchedPath>()?;
        let route = routes::row(request.method().as_str(), path.as_str())?;
        if route.audited == Audited::No {
            return None;
        }
        let parameters: Vec<(&str, &str)> = parameters.into_iter().flatten().collect();
        let project = parameters.iter().find(|(name, _)| *name == PROJECT);
        let named = parameters.iter().rfind(|(name, _)| *name != PROJECT);
        Some(Self {
            route,
            request: RequestId::generate(),
            origin: origin(request),
            object: Object {
                kind: kind(route.path),
                name: named.map(|(_, value)| bounded(value, NAME_LIMIT)),
                id: None,
            },
            project: project.map(|(_, value)| bounded(value, NAME_LIMIT)),
        })
    }
}

fn origin(request: &Request) -> Origin {
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let agent = request.headers().get(header::USER_AGENT);
    Origin {
        address: address
            .map(|ConnectInfo(address)| address.to_string())
            .unwrap_or_default(),
        agent: agent
            .map(|agent| bounded(&String::from_utf8_lossy(agent.as_bytes()), AGENT_LIMIT))
            .unwrap_or_default(),
    }
}

/// What a path is about: the collection that its last parameter picks from, or else its last word; in the singular.
fn kind(path: &str) -> String {
    let segments: Vec<&str> = path.split('/').collect();
    let of_parameter = segments
        .windows(2)
        .filter(|pair| pair[1].starts_with('{') && !pair[1].contains(PROJECT))
        .map(|pair| pair[0])
        .next_back();
    let collection = of_parameter.or(segments.last().copied()).unwrap_or_default();
    let collection = collection.split(':').next().unwrap_or_default();
    collection.strip_suffix('s').unwrap_or(collection).to_owned()
}

/// Cut, and without characters that move a cursor or end a line.
pub fn bounded(text: &str, limit: usize) -> String {
    let mut shown: String = text
        .chars()
        .take(limit)
        .map(|c| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect();
    if text.chars().nth(limit).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_path_is_about() {
        for (path, about) in [
            (routes::CLUSTERS, "cluster"),
            (routes::CLUSTER, "cluster"),
            (routes::CLUSTER_IMAGES, "cluster"),
            (routes::CLUSTERS_PLAN, "cluster"),
            (routes::OPERATION_CANCEL, "operation"),
            (routes::NETWORK, "network"),
        ] {
            assert_eq!(kind(path), about, "{path}");
        }
    }

    #[test]
    fn what_a_caller_chooses_is_bounded_and_harmless() {
        assert_eq!(bounded("plain", 5), "plain");
        assert_eq!(bounded("longer", 5), "longe…");
        assert_eq!(bounded("a\u{1b}[2J\nb", 20), "a\u{fffd}[2J\u{fffd}b");
    }
}
