//! What an OpenID Connect provider says of a person: its keys, its ID tokens, and the proofs that tie a token to the
//! login that asked for it. Nothing a token says of how to verify it is believed.

mod id_token;
mod jwks;
pub mod pkce;

pub use id_token::{Expected, IdClaims, IdTokenError, MAX_LEN, verify};
pub use jwks::{JwksError, ProviderKeys};

/// What may have signed an ID token. `none` and the HMACs are not here, so they cannot be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signed {
    Rs256,
    Es256,
    EdDsa,
}

impl Signed {
    fn named(alg: &str) -> Option<Self> {
        match alg {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            "EdDSA" => Some(Self::EdDsa),
            _ => None,
        }
    }
}
