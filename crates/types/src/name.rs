//! Names people give to things: DNS labels, because they end up in host names and certificates.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Room is left in a 63-character host name for a node group and a suffix.
pub const MAX_LEN: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NameError {
    #[error("a name must not be empty")]
    Empty,
    #[error("'{0}' has more than {MAX_LEN} characters")]
    TooLong(String),
    #[error(
        "'{0}' must be lower-case letters, digits and '-', begin with a letter and end with a letter or digit"
    )]
    Shape(String),
}

impl Name {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = NameError;
    fn from_str(given: &str) -> Result<Self, NameError> {
        if given.is_empty() {
            return Err(NameError::Empty);
        }
        if given.len() > MAX_LEN {
            return Err(NameError::TooLong(given.to_owned()));
        }
        let inner_ok = given
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let first_ok = given.starts_with(|c: char| c.is_ascii_lowercase());
        let last_ok = !given.ends_with('-');
        if inner_ok && first_ok && last_ok {
            Ok(Self(given.to_owned()))
        } else {
            Err(NameError::Shape(given.to_owned()))
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Name {
    type Error = NameError;
    fn try_from(given: String) -> Result<Self, NameError> {
        given.parse()
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dns_labels_pass_and_the_rest_does_not() {
        for good in ["dev-cluster", "a", "a1", "x".repeat(MAX_LEN).as_str()] {
            assert!(good.parse::<Name>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "-a",
            "a-",
            "1a",
            "A",
            "a_b",
            "a.b",
            "ä",
            "a/../b",
            "x".repeat(MAX_LEN + 1).as_str(),
        ] {
            assert!(bad.parse::<Name>().is_err(), "{bad}");
        }
    }
}
