//! Labels: what an owner calls things by, to find them again. Kubernetes' syntax, so that one habit serves both.
//!
//! They mean nothing to the platform: nothing is rendered from them, and changing them changes nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// As many as one thing may carry.
pub const MAX_LABELS: usize = 64;
const MAX_PREFIX: usize = 253;
const MAX_PART: usize = 63;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct Labels(BTreeMap<String, String>);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LabelError {
    #[error("there are {0} labels, and at most {MAX_LABELS} may be")]
    TooMany(usize),
    #[error(
        "the key '{0}' is not a label's: up to {MAX_PART} letters, digits, '-', '_' and '.', with a letter or digit at both ends; \
         before it, if anything, a DNS name and '/'"
    )]
    Key(String),
    #[error(
        "the value '{value}' of '{key}' is not a label's: empty, or up to {MAX_PART} letters, digits, '-', '_' and '.', with a \
         letter or digit at both ends"
    )]
    Value { key: String, value: String },
}

impl Labels {
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<BTreeMap<String, String>> for Labels {
    type Error = LabelError;

    fn try_from(given: BTreeMap<String, String>) -> Result<Self, LabelError> {
        if given.len() > MAX_LABELS {
            return Err(LabelError::TooMany(given.len()));
        }
        for (key, value) in &given {
            check_key(key)?;
            check_value(key, value)?;
        }
        Ok(Self(given))
    }
}

impl From<Labels> for BTreeMap<String, String> {
    fn from(labels: Labels) -> Self {
        labels.0
    }
}

pub(crate) fn check_key(key: &str) -> Result<(), LabelError> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if is_part(name) && prefix.is_none_or(is_dns_name) {
        Ok(())
    } else {
        Err(LabelError::Key(key.to_owned()))
    }
}

pub(crate) fn check_value(key: &str, value: &str) -> Result<(), LabelError> {
    if value.is_empty() || is_part(value) {
        Ok(())
    } else {
        Err(LabelError::Value {
            key: key.to_owned(),
            value: value.to_owned(),
        })
    }
}

fn is_part(text: &str) -> bool {
    let ends = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    text.len() <= MAX_PART
        && ends(text.bytes().next())
        && ends(text.bytes().next_back())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn is_dns_name(text: &str) -> bool {
    let ends = |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let is_word = |word: &str| {
        ends(word.bytes().next())
            && ends(word.bytes().next_back())
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    text.len() <= MAX_PREFIX && text.split('.').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> Result<Labels, LabelError> {
        let given: BTreeMap<String, String> = pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        given.try_into()
    }

    #[test]
    fn what_kubernetes_takes_is_taken_and_the_rest_is_not() {
        let long = "x".repeat(MAX_PART);
        for (key, value) in [
            ("a", ""),
            ("env", "prod"),
            ("app.kubernetes.io/Name", "My_App-1.2"),
            (long.as_str(), long.as_str()),
        ] {
            assert!(labels(&[(key, value)]).is_ok(), "{key}={value}");
        }
        let longer = "x".repeat(MAX_PART + 1);
        for key in [
            "", "/a", "a/", "-a", "a-", "a b", "ä", "A.io/x", "a/b/c", "a..b/c", &longer,
        ] {
            assert!(matches!(labels(&[(key, "v")]), Err(LabelError::Key(_))), "{key}");
        }
        for value in ["-", "a b", "a/b", "ä", "_a", "a.", &longer] {
            assert!(
                matches!(labels(&[("k", value)]), Err(LabelError::Value { .. })),
                "{value}"
            );
        }
    }

    #[test]
    fn there_are_at_most_so_many() {
        let many = |n: usize| -> BTreeMap<String, String> {
            (0..n).map(|n| (format!("k{n}"), String::new())).collect()
        };
        assert!(Labels::try_from(many(MAX_LABELS)).is_ok());
        assert_eq!(
            Labels::try_from(many(MAX_LABELS + 1)),
            Err(LabelError::TooMany(MAX_LABELS + 1))
        );
    }
}
