//! The release lines this platform knows. A line is a data file under `bundles/lines/`; adding one needs no code.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::embedded;

/// Line used when a user names none.
pub const DEFAULT_LINE: &str = "v1.36";

#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("Kubernetes version {wanted:?} is not known; known versions: {}", known.join(", "))]
    UnknownVersion { wanted: String, known: Vec<String> },
}

impl CatalogueError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownVersion { .. } => "unknown_version",
        }
    }

    pub fn remedy(&self) -> String {
        match self {
            Self::UnknownVersion { .. } => {
                format!("name a release line such as {DEFAULT_LINE}, or one of the listed versions")
            }
        }
    }
}

/// One release line: the patch we build and what it is built from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// `v1.36`
    pub line: String,
    /// `v1.36.4`, the newest patch we know.
    pub patch: String,
    pub toolchain: Toolchain,
    /// Upstream version of each component family, without `v`.
    pub versions: BTreeMap<String, String>,
    pub images: ImageTags,
    pub debian: Debian,
}

/// Go releases that compile a line.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toolchain {
    pub kubernetes: String,
    pub rest: String,
}

/// Tags under which the line's own tools look for images.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ImageTags {
    pub etcd: String,
    pub coredns: String,
    pub pause: String,
    /// The current one first.
    pub agnhost: Vec<String>,
    pub busybox: String,
    pub nginx: Vec<String>,
    /// Name and tag below `registry.k8s.io/e2e-test-images/`.
    pub dns_testing: String,
    pub kitten: String,
    pub nautilus: String,
    pub nonewprivs: String,
    pub nonroot: String,
    pub sample_apiserver: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Debian {
    pub suite: String,
}

impl Line {
    /// Upstream version of a component family; `kubernetes` is the patch itself.
    pub fn version_of(&self, family: &str) -> &str {
        match family {
            "kubernetes" => self.patch.trim_start_matches('v'),
            "pause" => &self.images.pause,
            _ => self.versions.get(family).map_or("unknown", String::as_str),
        }
    }

    /// `(1, 36)`
    pub(crate) fn major_minor(&self) -> (&str, &str) {
        self.line
            .trim_start_matches('v')
            .split_once('.')
            .unwrap_or(("1", "0"))
    }

    /// `go.mod` or `go.sum` that pins the line's version of a family.
    pub(crate) fn pin(&self, family: &str, file: &str) -> Option<&'static str> {
        embedded::file(&format!("go/{family}/v{}/{file}", self.version_of(family)))
    }

    /// Whether the Go pins of all its parts are committed, so that it can be built.
    pub fn is_pinned(&self) -> bool {
        let mut families = self.versions.keys().map(String::as_str).chain(["kubernetes"]);
        families.all(|family| self.pin(family, "go.mod").is_some() && self.pin(family, "go.sum").is_some())
    }
}

/// All known lines, oldest first.
pub fn lines() -> Vec<Line> {
    let mut lines: Vec<Line> = embedded::below("lines/")
        .map(|(name, text)| {
            toml::from_str(text).unwrap_or_else(|e| panic!("embedded file {name} is malformed: {e}"))
        })
        .collect();
    lines.sort_by_key(|l| l.major_minor().1.parse::<u32>().unwrap_or(0));
    lines
}

/// Finds the line of `v1.36`, `1.36`, `v1.36.4` or `1.36.4`.
pub fn resolve(version: &str) -> Result<Line, CatalogueError> {
    let wanted = format!("v{}", version.trim().trim_start_matches('v'));
    let lines = lines();
    match lines.iter().position(|l| l.line == wanted || l.patch == wanted) {
        Some(at) => Ok(lines[at].clone()),
        None => Err(CatalogueError::UnknownVersion {
            wanted: version.to_owned(),
            known: lines.into_iter().map(|l| l.patch).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_lines_with_a_patch_each() {
        let lines = lines();
        let names: Vec<_> = lines.iter().map(|l| l.line.as_str()).collect();
        let wanted: Vec<_> = (28..=37).map(|minor| format!("v1.{minor}")).collect();
        assert_eq!(names, wanted);
        for line in &lines {
            assert!(
                line.patch.starts_with(&format!("{}.", line.line)),
                "{}",
                line.patch
            );
            for family in [
                "etcd",
                "containerd",
                "runc",
                "cni-plugins",
                "coredns",
                "crictl",
                "helm",
            ] {
                assert_ne!(line.version_of(family), "unknown", "{family} of {}", line.line);
            }
            assert!(line.toolchain.kubernetes.starts_with("go1."));
        }
    }

    #[test]
    fn resolves_the_ways_a_user_writes_a_version() {
        for wanted in ["v1.36", "1.36", "v1.36.4", "1.36.4", " v1.36 "] {
            assert_eq!(resolve(wanted).unwrap().patch, "v1.36.4", "{wanted}");
        }
        assert_eq!(resolve(DEFAULT_LINE).unwrap().line, DEFAULT_LINE);
    }

    #[test]
    fn an_unknown_version_lists_the_known_ones() {
        for wanted in ["v1.27", "1.36.3", "v2", "latest", "", "../v1.36"] {
            let error = resolve(wanted).unwrap_err();
            assert_eq!(error.code(), "unknown_version");
            assert!(error.to_string().contains("v1.36.4"), "{error}");
            assert!(error.to_string().contains("v1.28.15"), "{error}");
        }
    }

    #[test]
    fn the_default_line_can_be_built() {
        assert!(resolve(DEFAULT_LINE).unwrap().is_pinned());
    }
}
