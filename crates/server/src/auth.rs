//! Who may call: whoever presents the platform's token. Only its hash is kept; comparing takes the same time always.

use axum::{
    extract::{Request, State},
    http::header,
    middleware::Next,
    response::Response,
};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use types::{Fault, FaultKind, Secret, audit::Actor};

use crate::{answer::Refusal, router::Api};

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

/// Lets requests with the token pass.
pub async fn require_token(
    State(api): State<Api>,
    mut request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let header = request.headers().get(header::AUTHORIZATION);
    let Some(header) = header else {
        return Err(unauthenticated("token-missing", "the request carries no token"));
    };
    let token = header
        .to_str()
        .ok()
        .and_then(|value| value.strip_prefix("Bearer "))
        .map(Secret::new);
    match token {
        Some(token) if api.token.matches(&token) => {
            request.extensions_mut().insert(Actor::platform_admin());
            Ok(next.run(request).await)
        }
        Some(_) | None => Err(unauthenticated(
            "token-wrong",
            "the request's token is not the platform's",
        )),
    }
}

fn unauthenticated(code: &'static str, cause: &str) -> Refusal {
    Refusal(Fault::new(
        FaultKind::Unauthenticated,
        code,
        cause,
        "send `Authorization: Bearer <token>` with the token from client.toml in the platform's state directory; only root can read it",
    ))
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
