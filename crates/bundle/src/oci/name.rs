//! Image names as users and registries write them, parsed once: `nginx` is `docker.io/library/nginx:latest`.

use std::fmt;
use std::str::FromStr;

use crate::Digest;

const DEFAULT_HOST: &str = "docker.io";

/// Host, repository and tag or digest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageName {
    pub host: String,
    pub repository: String,
    /// Tag, or `sha256:<hex>`.
    pub reference: String,
}

#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not an image name")]
pub struct NameError(pub String);

impl ImageName {
    /// From the parts a registry request carries: repository path, reference and the `ns` query parameter.
    pub fn from_request(ns: Option<&str>, repository: &str, reference: &str) -> Result<Self, NameError> {
        let host = normal_host(ns.unwrap_or(DEFAULT_HOST)).to_owned();
        let name = Self {
            host,
            repository: repository.to_owned(),
            reference: reference.to_owned(),
        };
        if name.is_valid() {
            Ok(name)
        } else {
            Err(NameError(name.to_string()))
        }
    }

    fn is_valid(&self) -> bool {
        let word = |s: &str, extra: &str| {
            !s.is_empty()
                && s.len() <= 255
                && s.chars().all(|c| c.is_ascii_alphanumeric() || extra.contains(c))
        };
        let host = word(&self.host, ".-:[]_");
        let repository = self.repository.split('/').all(|part| {
            word(part, "._-") && part.starts_with(|c: char| c.is_ascii_alphanumeric()) && !part.contains("..")
        });
        let tag = word(&self.reference, "._-") && !self.reference.starts_with(['.', '-']);
        let digest = self.reference.starts_with("sha256:") && self.reference.parse::<Digest>().is_ok();
        host && repository && (tag || digest)
    }
}

/// containerd asks Docker Hub's mirror under several names.
fn normal_host(host: &str) -> &str {
    match host {
        "registry-1.docker.io" | "index.docker.io" => DEFAULT_HOST,
        other => other,
    }
}

impl fmt::Display for ImageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.reference.contains(':') { '@' } else { ':' };
        write!(
            f,
            "{}/{}{separator}{}",
            self.host, self.repository, self.reference
        )
    }
}

impl FromStr for ImageName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let (rest, reference) = match text.split_once('@') {
            // A tag beside a digest says nothing more.
            Some((rest, digest)) => {
                let tag = rest.rfind(':').filter(|at| !rest[*at..].contains('/'));
                (tag.map_or(rest, |at| &rest[..at]), digest)
            }
            None => match text.rfind(':').filter(|at| !text[*at..].contains('/')) {
                Some(at) => (&text[..at], &text[at + 1..]),
                None => (text, "latest"),
            },
        };
        let (host, repository) = match rest.split_once('/') {
            Some((host, path)) if host.contains(['.', ':']) || host == "localhost" => {
                (normal_host(host), path.to_owned())
            }
            Some(_) => (DEFAULT_HOST, rest.to_owned()),
            None => (DEFAULT_HOST, format!("library/{rest}")),
        };
        let repository = match (host, repository.contains('/')) {
            (DEFAULT_HOST, false) => format!("library/{repository}"),
            _ => repository,
        };
        let name = Self {
            host: host.to_owned(),
            repository,
            reference: reference.to_owned(),
        };
        if name.is_valid() {
            Ok(name)
        } else {
            Err(NameError(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_mean_docker_hub() {
        for (text, full) in [
            ("nginx", "docker.io/library/nginx:latest"),
            ("nginx:1.27", "docker.io/library/nginx:1.27"),
            ("bitnami/redis", "docker.io/bitnami/redis:latest"),
            ("docker.io/nginx", "docker.io/library/nginx:latest"),
            (
                "index.docker.io/library/nginx:latest",
                "docker.io/library/nginx:latest",
            ),
            (
                "registry.k8s.io/coredns/coredns:v1.14.2",
                "registry.k8s.io/coredns/coredns:v1.14.2",
            ),
            ("localhost/app", "localhost/app:latest"),
            ("localhost:5000/app:v1", "localhost:5000/app:v1"),
        ] {
            assert_eq!(text.parse::<ImageName>().unwrap().to_string(), full, "{text}");
        }
        let digest = Digest::of("x");
        let pinned = format!("quay.io/a/b:v1@{digest}").parse::<ImageName>().unwrap();
        assert_eq!(pinned.to_string(), format!("quay.io/a/b@{digest}"));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for bad in [
            "",
            ":",
            "a b",
            "../../x",
            "x/../y:z",
            "host.io//a",
            "a:b:c",
            "nginx:",
            "-x/y",
            "x:..",
            "a@sha256:00",
        ] {
            assert!(bad.parse::<ImageName>().is_err(), "{bad}");
        }
    }
}
