//! Addresses people log in with. Compared without case, kept in lower case; they become Kubernetes user names, so the
//! shape is narrow: no quoting, no spaces, no colon, never `system:`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

const MAX_LEN: usize = 254;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Email(String);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is not an email address such as ana@acme.example")]
pub struct EmailError(String);

impl Email {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Email {
    type Err = EmailError;
    fn from_str(given: &str) -> Result<Self, EmailError> {
        let bad = || EmailError(given.chars().take(MAX_LEN).collect());
        let lower = given.to_ascii_lowercase();
        let (local, domain) = lower.split_once('@').ok_or_else(bad)?;
        let in_local = |b: u8| b.is_ascii_alphanumeric() || b"._%+-".contains(&b);
        let in_domain = |b: u8| b.is_ascii_alphanumeric() || b".-".contains(&b);
        let labels_ok = domain
            .split('.')
            .all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
        let good = lower.len() <= MAX_LEN
            && !local.is_empty()
            && local.bytes().all(in_local)
            && domain.bytes().all(in_domain)
            && labels_ok;
        good.then(|| Self(lower.clone())).ok_or_else(bad)
    }
}

impl TryFrom<String> for Email {
    type Error = EmailError;
    fn try_from(given: String) -> Result<Self, EmailError> {
        given.parse()
    }
}

impl From<Email> for String {
    fn from(email: Email) -> String {
        email.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_matter_and_nothing_odd_gets_through() {
        assert_eq!(
            "Ana@ACME.example".parse::<Email>().unwrap().as_str(),
            "ana@acme.example"
        );
        for bad in [
            "",
            "ana",
            "@x",
            "a@",
            "a b@c",
            "a@b..c",
            "a@-b",
            "system:admin@x",
            "a@b@c",
            "ä@b",
            "a\n@b",
        ] {
            assert!(bad.parse::<Email>().is_err(), "{bad}");
        }
    }
}
