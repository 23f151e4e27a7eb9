//! Hashes and heads as text: 64 hexadecimal digits, and `<sequence>:<hash>`, which is also what a person notes down.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{Hash, Head};

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is not a hash of 64 hexadecimal digits")]
pub struct HashError(String);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is not a record's number and hash, such as 12:9f86d0…")]
pub struct HeadError(String);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Hash {
    type Err = HashError;
    fn from_str(given: &str) -> Result<Self, HashError> {
        let wrong = || HashError(given.to_owned());
        if given.len() != 64 || !given.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let mut hash = Self::default();
        for (at, byte) in hash.0.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&given[at * 2..at * 2 + 2], 16).map_err(|_| wrong())?;
        }
        Ok(hash)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.sequence, self.hash)
    }
}

impl FromStr for Head {
    type Err = HeadError;
    fn from_str(given: &str) -> Result<Self, HeadError> {
        let parsed = given
            .split_once(':')
            .and_then(|(sequence, hash)| Some((sequence.parse().ok()?, hash.parse().ok()?)));
        let (sequence, hash) = parsed.ok_or_else(|| HeadError(given.to_owned()))?;
        Ok(Self { sequence, hash })
    }
}
