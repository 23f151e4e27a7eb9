//! Access tokens: JWTs with fixed claims, signed with ES256 and nothing else.
//!
//! The header holds `alg`, `kid` and `typ` and no more. Whatever would tell the verifier how or with what to verify
//! (`jwk`, `jku`, `x5u`, `crit`, …) is therefore refused before anything is done with it. A token is revoked by its `jti`,
//! never by its bytes: an ECDSA signature has a second form that is as good as the first.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, crypto};
use serde::{Deserialize, Serialize};
use types::{OrgId, ProjectId, Secret, Timestamp, TokenId, tenant::Role};

use crate::keys::{KeySet, SigningKey};

/// Longer tokens are not looked at. Ours have less than 1 KiB.
pub const MAX_LEN: usize = 4096;
/// By how much the clock of whoever issued a token may be ahead. Its end is exact.
const SKEW: i64 = 5;

const ALGORITHM: &str = "ES256";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    pub iss: String,
    pub aud: String,
    /// The id of the user or the service account.
    pub sub: String,
    /// A user's address; a service account's `sa-<name>@<project>`.
    pub email: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org_id: Option<OrgId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// Held in that organisation and that project.
    pub roles: Vec<Role>,
    pub iat: Timestamp,
    pub exp: Timestamp,
    pub jti: TokenId,
}

/// Why a token is not taken. For logs and metrics; whoever showed it is told nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum TokenError {
    #[error("the token is longer than {MAX_LEN} bytes")]
    TooLong,
    #[error("not three parts of URL-safe base 64")]
    Malformed,
    #[error("the header is not one of ours")]
    Header,
    #[error("signed with another algorithm than {ALGORITHM}")]
    Algorithm,
    #[error("signed with a key that is not known")]
    UnknownKey,
    #[error("the signature is wrong")]
    Signature,
    #[error("a claim is missing or has another form")]
    Claims,
    #[error("issued by somebody else")]
    Issuer,
    #[error("meant for somebody else")]
    Audience,
    #[error("issued in the future")]
    NotYet,
    #[error("its time is over")]
    Expired,
    #[error("the token could not be signed")]
    Sign,
}

impl TokenError {
    pub fn code(self) -> &'static str {
        match self {
            Self::TooLong => "token-too-long",
            Self::Malformed => "token-malformed",
            Self::Header => "token-header",
            Self::Algorithm => "token-algorithm",
            Self::UnknownKey => "token-key-unknown",
            Self::Signature => "token-signature",
            Self::Claims => "token-claims",
            Self::Issuer => "token-issuer",
            Self::Audience => "token-audience",
            Self::NotYet => "token-not-yet",
            Self::Expired => "token-expired",
            Self::Sign => "token-sign",
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    alg: String,
    kid: String,
    typ: String,
}

pub fn mint(key: &SigningKey, claims: &Claims) -> Result<Secret, TokenError> {
    let header = Header {
        alg: ALGORITHM.to_owned(),
        kid: key.kid().to_owned(),
        typ: "JWT".to_owned(),
    };
    let part = |json: Result<Vec<u8>, serde_json::Error>| {
        json.map(|json| URL_SAFE_NO_PAD.encode(json))
            .map_err(|_| TokenError::Sign)
    };
    let message = format!(
        "{}.{}",
        part(serde_json::to_vec(&header))?,
        part(serde_json::to_vec(claims))?
    );
    let signing = EncodingKey::from_ec_der(key.pkcs8());
    let signature =
        crypto::sign(message.as_bytes(), &signing, Algorithm::ES256).map_err(|_| TokenError::Sign)?;
    let token = format!("{message}.{signature}");
    if token.len() > MAX_LEN {
        return Err(TokenError::TooLong);
    }
    Ok(Secret::new(token))
}

/// The claims of a token that one of `keys` signed, that `issuer` issued for one of `audiences`, and whose time is now.
pub fn verify(
    token: &str,
    keys: &KeySet,
    issuer: &str,
    audiences: &[&str],
    now: Timestamp,
) -> Result<Claims, TokenError> {
    if token.len() > MAX_LEN {
        return Err(TokenError::TooLong);
    }
    let (message, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
    let (header, claims) = message.split_once('.').ok_or(TokenError::Malformed)?;
    if claims.contains('.') {
        return Err(TokenError::Malformed);
    }
    let header: Header = serde_json::from_slice(&decode(header)?).map_err(|_| TokenError::Header)?;
    if header.alg != ALGORITHM {
        return Err(TokenError::Algorithm);
    }
    if header.typ != "JWT" {
        return Err(TokenError::Header);
    }
    let key = keys.find(&header.kid).ok_or(TokenError::UnknownKey)?;
    let (x, y) = key.coordinates();
    let key = DecodingKey::from_ec_components(x, y).map_err(|_| TokenError::UnknownKey)?;
    match crypto::verify(signature, message.as_bytes(), &key, Algorithm::ES256) {
        Ok(true) => {}
        Ok(false) | Err(_) => return Err(TokenError::Signature),
    }
    // Only now is anything in it believed.
    let claims: Claims = serde_json::from_slice(&decode(claims)?).map_err(|_| TokenError::Claims)?;
    if claims.iss != issuer {
        return Err(TokenError::Issuer);
    }
    if !audiences.contains(&claims.aud.as_str()) {
        return Err(TokenError::Audience);
    }
    if claims.iat > now.plus(SKEW) || claims.iat > claims.exp {
        return Err(TokenError::NotYet);
    }
    if claims.exp <= now {
        return Err(TokenError::Expired);
    }
    Ok(claims)
}

fn decode(part: &str) -> Result<Vec<u8>, TokenError> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed)
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;
