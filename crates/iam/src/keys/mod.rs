//! What tokens are signed with: P-256 keys, ES256, named by their thumbprint.

mod public;
mod ring;
mod signing;

pub use public::{KeySet, PublicKey};
pub use ring::KeyRing;
pub use signing::SigningKey;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum KeyError {
    #[error("a P-256 key could not be made")]
    Generate,
    #[error("this is not a P-256 private key in PKCS#8")]
    NotPkcs8,
    #[error("this is not a public P-256 key as a JWK: {0}")]
    NotJwk(&'static str),
    #[error("the sealed ring of signing keys does not parse")]
    Ring,
}
