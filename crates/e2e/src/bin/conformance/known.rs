//! Specs that cannot pass on the machines this project is tested on. A name without a reason is refused.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;

/// Reasons by the spec's whole name.
#[derive(Default)]
pub struct Known(BTreeMap<String, String>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    spec: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    reason: String,
}

impl Known {
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        if let Some(entry) = file.spec.iter().find(|entry| entry.reason.trim().is_empty()) {
            return Err(format!("'{}' has no reason", entry.name));
        }
        let entries = file.spec.into_iter().map(|entry| (entry.name, entry.reason));
        Ok(Self(entries.collect()))
    }

    pub fn reason(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_in_the_repository_is_well_formed() {
        Known::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/known.toml"));
    }

    #[test]
    fn a_name_needs_a_reason() {
        assert!(Known::parse("[[spec]]\nname = 'a'\nreason = ' '").is_err());
        let known = Known::parse("[[spec]]\nname = 'a'\nreason = 'no SCTP'").unwrap();
        assert_eq!(known.reason("a"), Some("no SCTP"));
        assert_eq!(known.reason("a b"), None);
    }
}
