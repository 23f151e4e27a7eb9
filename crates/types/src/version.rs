//! Kubernetes versions: a *line* (v1.36) and a *patch* of it (v1.36.4).

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Line {
    pub major: u16,
    pub minor: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Patch {
    pub line: Line,
    pub patch: u16,
}

/// What a person may ask for: a line, meaning its newest patch, or one patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Wanted {
    Line(Line),
    Patch(Patch),
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is not a Kubernetes version such as v1.36 or v1.36.4")]
pub struct VersionError(String);

impl FromStr for Wanted {
    type Err = VersionError;
    fn from_str(given: &str) -> Result<Self, VersionError> {
        let bad = || VersionError(given.to_owned());
        let digits = given.strip_prefix('v').unwrap_or(given);
        let parts = digits
            .split('.')
            .map(number)
            .collect::<Option<Vec<u16>>>()
            .ok_or_else(bad)?;
        match parts[..] {
            [major, minor] => Ok(Self::Line(Line { major, minor })),
            [major, minor, patch] => Ok(Self::Patch(Patch {
                line: Line { major, minor },
                patch,
            })),
            _ => Err(bad()),
        }
    }
}

/// Digits only: `u16::from_str` would also take a sign.
fn number(part: &str) -> Option<u16> {
    part.bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| part.parse().ok())?
}

impl Wanted {
    pub fn line(self) -> Line {
        match self {
            Self::Line(line) => line,
            Self::Patch(patch) => patch.line,
        }
    }
}

impl FromStr for Line {
    type Err = VersionError;
    fn from_str(given: &str) -> Result<Self, VersionError> {
        match given.parse()? {
            Wanted::Line(line) => Ok(line),
            Wanted::Patch(_) => Err(VersionError(given.to_owned())),
        }
    }
}

impl FromStr for Patch {
    type Err = VersionError;
    fn from_str(given: &str) -> Result<Self, VersionError> {
        match given.parse()? {
            Wanted::Patch(patch) => Ok(patch),
            Wanted::Line(_) => Err(VersionError(given.to_owned())),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}", self.major, self.minor)
    }
}

impl fmt::Display for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.line, self.patch)
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => line.fmt(f),
            Self::Patch(patch) => patch.fmt(f),
        }
    }
}

macro_rules! as_string {
    ($($name:ty),*) => {$(
        impl TryFrom<String> for $name {
            type Error = VersionError;
            fn try_from(given: String) -> Result<Self, VersionError> {
                given.parse()
            }
        }
        impl From<$name> for String {
            fn from(v: $name) -> String {
                v.to_string()
            }
        }
    )*};
}
as_string!(Line, Patch, Wanted);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_patches_with_and_without_v() {
        assert_eq!("v1.36".parse::<Wanted>().unwrap().to_string(), "v1.36");
        assert_eq!("1.36.4".parse::<Wanted>().unwrap().to_string(), "v1.36.4");
        for bad in [
            "",
            "v",
            "1",
            "1.2.3.4",
            "v1.x",
            "1.-3",
            "1.+3",
            "1..2",
            "v1.36-rc1",
            "1.99999",
        ] {
            assert!(bad.parse::<Wanted>().is_err(), "{bad}");
        }
        assert!("v1.36.4".parse::<Line>().is_err());
        assert!("v1.9.10".parse::<Patch>().unwrap() < "v1.10.0".parse::<Patch>().unwrap());
    }
}
