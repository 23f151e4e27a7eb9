//! The token of the first start, which makes its holder the platform's administrator. Only its hash is kept; comparing
//! takes the same time always.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use types::Secret;

/// SHA-256 of the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    pub fn of(token: &Secret) -> Self {
        Self(Sha256::digest(token.expose()).into())
    }

    pub fn matches(&self, token: &Secret) -> bool {
        self.0.ct_eq(&Self::of(token).0).into()
    }

    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub fn from_hex(given: &str) -> Option<Self> {
        let given = given.trim();
        if given.len() != 64 || !given.is_ascii() {
            return None;
        }
        let mut hash = [0; 32];
        for (at, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&given[at * 2..at * 2 + 2], 16).ok()?;
        }
        Some(Self(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_matches_its_token_only_and_survives_its_file() {
        let hash = TokenHash::of(&Secret::new("token"));
        assert!(hash.matches(&Secret::new("token")));
        assert!(!hash.matches(&Secret::new("Token")));
        assert_eq!(TokenHash::from_hex(&format!("{}\n", hash.to_hex())), Some(hash));
        for bad in ["", "ab", &"g".repeat(64), &"ä".repeat(32)] {
            assert_eq!(TokenHash::from_hex(bad), None, "{bad}");
        }
    }
}
