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
const ORG: &str = "org";

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
        let (kind, parameter) = about(route.path);
        let named = parameters.iter().find(|(name, _)| Some(*name) == parameter);
        Some(Self {
            route,
            request: RequestId::generate(),
            origin: origin(request),
            object: Object {
                kind,
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

/// What a path is about: the collection that its last parameter picks from, with that parameter, or else its last word;
/// in the singular. An organisation or a project is where something is, unless the path ends with it.
fn about(path: &str) -> (String, Option<&str>) {
    let segments: Vec<&str> = path.split('/').collect();
    let last = segments.len() - 1;
    let picked = (1..=last).rev().find_map(|at| {
        let (parameter, _) = segments[at].strip_prefix('{')?.split_once('}')?;
        (at == last || ![PROJECT, ORG].contains(&parameter)).then(|| (segments[at - 1], parameter))
    });
    let (collection, parameter) = match picked {
        Some((collection, parameter)) => (collection, Some(parameter)),
        None => (segments[last], None),
    };
    let collection = collection.split(':').next().unwrap_or_default();
    let kind = collection.strip_suffix('s').unwrap_or(collection);
    (kind.to_owned(), parameter)
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
        for (path, kind, parameter) in [
            (routes::CLUSTERS, "cluster", None),
            (routes::CLUSTER, "cluster", Some("reference")),
            (routes::CLUSTER_IMAGES, "cluster", Some("reference")),
            (routes::CLUSTERS_PLAN, "cluster", None),
            (routes::OPERATION_CANCEL, "operation", Some("id")),
            (routes::NETWORK, "network", Some("reference")),
            (routes::ORG, "org", Some("org")),
            (routes::ORG_PROJECTS, "project", None),
            (routes::ORG_MEMBER, "member", Some("member")),
            (routes::PROJECT, "project", Some("project")),
            (routes::PROJECT_QUOTA, "quota", None),
        ] {
            assert_eq!(about(path), (kind.to_owned(), parameter), "{path}");
        }
    }

    #[test]
    fn what_a_caller_chooses_is_bounded_and_harmless() {
        assert_eq!(bounded("plain", 5), "plain");
        assert_eq!(bounded("longer", 5), "longe…");
        assert_eq!(bounded("a\u{1b}[2J\nb", 20), "a\u{fffd}[2J\u{fffd}b");
    }
}
