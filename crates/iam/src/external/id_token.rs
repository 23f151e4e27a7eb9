//! ID tokens of a provider (OpenID Connect Core 3.1.3.7), believed only as far as this login asked for them.
//!
//! Unlike our own tokens they have headers and claims that we do not know; those are passed over. What would change how a
//! token is verified is refused (`crit`) or never looked at (`jwk`, `jku`, `x5u`, `x5c`).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::crypto;
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256, Sha512};
use types::{Secret, Timestamp};

use super::{ProviderKeys, Signed};

/// Longer ones are not looked at. Those with many groups have some KiB.
pub const MAX_LEN: usize = 64 * 1024;
/// By how much a provider's clock may differ from ours.
const SKEW_S: i64 = 60;
/// It was issued for the exchange that it came with.
const OLDEST_S: i64 = 10 * 60;
const LONGEST_SUBJECT: usize = 255;
/// No more groups of one person are looked at.
const MOST_GROUPS: usize = 2000;

/// Why a token is not taken. For the log; whoever logs in is told less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum IdTokenError {
    #[error("it is longer than {MAX_LEN} bytes")]
    TooLong,
    #[error("it is not three parts of URL-safe base 64")]
    Malformed,
    #[error("its header asks for what we do not do")]
    Header,
    #[error("it is signed with another algorithm than RS256, ES256 or EdDSA")]
    Algorithm,
    #[error("none of the provider's keys can have signed it")]
    UnknownKey,
    #[error("its signature is wrong")]
    Signature,
    #[error("a claim is missing or has another form")]
    Claims,
    #[error("it was issued by somebody else")]
    Issuer,
    #[error("it was issued for another client")]
    Audience,
    #[error("it was issued in the future or too long ago")]
    IssuedAt,
    #[error("its time is over")]
    Expired,
    #[error("it belongs to another login")]
    Nonce,
    #[error("it belongs to another access token")]
    AccessToken,
}

/// What this login asked for.
#[derive(Debug)]
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub client: &'a str,
    /// Of a login in a browser; a device asks for none.
    pub nonce: Option<&'a Secret>,
    /// What came beside the ID token.
    pub access_token: Option<&'a Secret>,
}

/// A person as their provider describes them.
#[derive(Debug, Clone, PartialEq)]
pub struct IdClaims {
    /// Never another person's at this issuer.
    pub subject: String,
    all: Map<String, Value>,
}

impl IdClaims {
    pub fn text(&self, claim: &str) -> Option<&str> {
        self.all.get(claim)?.as_str()
    }

    pub fn is_true(&self, claim: &str) -> bool {
        self.all.get(claim) == Some(&Value::Bool(true))
    }

    /// A list of words, or one word.
    pub fn words(&self, claim: &str) -> Vec<String> {
        match self.all.get(claim) {
            Some(Value::Array(words)) => {
                let words = words.iter().take(MOST_GROUPS);
                words.filter_map(Value::as_str).map(str::to_owned).collect()
            }
            Some(Value::String(word)) => vec![word.clone()],
            _ => Vec::new(),
        }
    }
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<Value>,
}

/// What the standard fixes.
#[derive(Deserialize)]
struct Fixed {
    iss: String,
    sub: String,
    aud: Audience,
    azp: Option<String>,
    exp: i64,
    iat: i64,
    nbf: Option<i64>,
    nonce: Option<String>,
    at_hash: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

pub fn verify(
    token: &Secret,
    keys: &ProviderKeys,
    expected: &Expected<'_>,
    now: Timestamp,
) -> Result<IdClaims, IdTokenError> {
    let token = token.expose_str().map_err(|_| IdTokenError::Malformed)?;
    if token.len() > MAX_LEN {
        return Err(IdTokenError::TooLong);
    }
    let (message, signature) = token.rsplit_once('.').ok_or(IdTokenError::Malformed)?;
    let (header, claims) = message.split_once('.').ok_or(IdTokenError::Malformed)?;
    if claims.contains('.') {
        return Err(IdTokenError::Malformed);
    }
    let header: Header = serde_json::from_slice(&decode(header)?).map_err(|_| IdTokenError::Header)?;
    let jwt = header
        .typ
        .as_deref()
        .is_none_or(|typ| typ.eq_ignore_ascii_case("jwt"));
    if header.crit.is_some() || !jwt {
        return Err(IdTokenError::Header);
    }
    let signed = Signed::named(&header.alg).ok_or(IdTokenError::Algorithm)?;
    let (key, algorithm) = keys.find(signed, header.kid.as_deref())?;
    match crypto::verify(signature, message.as_bytes(), &key, algorithm) {
        Ok(true) => {}
        Ok(false) | Err(_) => return Err(IdTokenError::Signature),
    }
    // Only now is anything in it believed.
    let all: Map<String, Value> =
        serde_json::from_slice(&decode(claims)?).map_err(|_| IdTokenError::Claims)?;
    let fixed = Fixed::deserialize(Value::Object(all.clone())).map_err(|_| IdTokenError::Claims)?;
    fixed.check(expected, now)?;
    if let (Some(said), Some(access)) = (&fixed.at_hash, expected.access_token)
        && *said != half_hash(signed, access)
    {
        return Err(IdTokenError::AccessToken);
    }
    Ok(IdClaims {
        subject: fixed.sub,
        all,
    })
}

impl Fixed {
    fn check(&self, expected: &Expected<'_>, now: Timestamp) -> Result<(), IdTokenError> {
        if self.iss != expected.issuer {
            return Err(IdTokenError::Issuer);
        }
        let ours = |client: &str| client == expected.client;
        let audience = match (&self.aud, &self.azp) {
            (_, Some(party)) if !ours(party) => false,
            (Audience::One(one), _) => ours(one),
            (Audience::Several(all), None) => matches!(&all[..], [one] if ours(one)),
            (Audience::Several(all), Some(_)) => all.iter().any(|one| ours(one)),
        };
        if !audience {
            return Err(IdTokenError::Audience);
        }
        if self.sub.is_empty() || self.sub.len() > LONGEST_SUBJECT {
            return Err(IdTokenError::Claims);
        }
        if self.exp.saturating_add(SKEW_S) <= now.0 {
            return Err(IdTokenError::Expired);
        }
        let latest = now.0 + SKEW_S;
        let oldest = now.0 - OLDEST_S - SKEW_S;
        if !(oldest..=latest).contains(&self.iat) || self.nbf.is_some_and(|from| from > latest) {
            return Err(IdTokenError::IssuedAt);
        }
        match (expected.nonce, &self.nonce) {
            (Some(wanted), Some(said)) if wanted.expose() == said.as_bytes() => Ok(()),
            (Some(_), _) => Err(IdTokenError::Nonce),
            (None, _) => Ok(()),
        }
    }
}

/// The left half of the access token's hash, by the hash that belongs to the signature.
fn half_hash(signed: Signed, access: &Secret) -> String {
    let hash = match signed {
        Signed::Rs256 | Signed::Es256 => Sha256::digest(access.expose()).to_vec(),
        Signed::EdDsa => Sha512::digest(access.expose()).to_vec(),
    };
    URL_SAFE_NO_PAD.encode(&hash[..hash.len() / 2])
}

fn decode(part: &str) -> Result<Vec<u8>, IdTokenError> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| IdTokenError::Malformed)
}

#[cfg(test)]
#[path = "id_token_tests.rs"]
mod tests;
