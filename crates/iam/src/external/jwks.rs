//! The keys a provider publishes. A key says of which kind it is; which algorithm it is used with follows from that and
//! never from the token, so that a public key cannot be made to verify an HMAC.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;

use super::{IdTokenError, Signed};

/// No provider publishes more.
const MOST: usize = 100;
/// Shorter RSA keys can be broken.
const LEAST_RSA_BITS: usize = 2048;
const MOST_RSA_BITS: usize = 8192;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum JwksError {
    #[error("it is not a set of keys in JSON")]
    NotJwks,
    #[error("it holds more than {MOST} keys")]
    TooMany,
    #[error("it holds no key for signatures of a kind we take (RS256, ES256, EdDSA)")]
    Empty,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderKeys(Vec<Key>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    kid: Option<String>,
    material: Material,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256 { x: String, y: String },
    Ed25519 { x: String },
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    r#use: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl ProviderKeys {
    /// Keys of other kinds, or for other uses, are left out; a provider may have those.
    pub fn parse(json: &[u8]) -> Result<Self, JwksError> {
        let document: Document = serde_json::from_slice(json).map_err(|_| JwksError::NotJwks)?;
        if document.keys.len() > MOST {
            return Err(JwksError::TooMany);
        }
        let jwks = document.keys.into_iter();
        let keys: Vec<Key> = jwks
            .filter_map(|key| serde_json::from_value::<Jwk>(key).ok())
            .filter_map(Key::of)
            .collect();
        if keys.is_empty() {
            return Err(JwksError::Empty);
        }
        Ok(Self(keys))
    }

    /// The one key that can have signed it: that of this name or, for a token that names none, the only one of its kind.
    pub(super) fn find(
        &self,
        signed: Signed,
        kid: Option<&str>,
    ) -> Result<(DecodingKey, Algorithm), IdTokenError> {
        let mut fitting = self.0.iter().filter(|key| {
            key.material.signs() == signed && kid.is_none_or(|kid| key.kid.as_deref() == Some(kid))
        });
        let (Some(key), None) = (fitting.next(), fitting.next()) else {
            return Err(IdTokenError::UnknownKey);
        };
        key.material.decoding().ok_or(IdTokenError::UnknownKey)
    }
}

impl Key {
    fn of(jwk: Jwk) -> Option<Self> {
        if jwk.r#use.as_deref().is_some_and(|used| used != "sig") {
            return None;
        }
        let material = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
            ("RSA", _) => {
                let n = URL_SAFE_NO_PAD.decode(jwk.n?).ok()?;
                let e = URL_SAFE_NO_PAD.decode(jwk.e?).ok()?;
                let bits = n.iter().skip_while(|byte| **byte == 0).count() * 8;
                (LEAST_RSA_BITS..=MOST_RSA_BITS)
                    .contains(&bits)
                    .then_some(Material::Rsa { n, e })?
            }
            ("EC", Some("P-256")) => Material::P256 { x: jwk.x?, y: jwk.y? },
            ("OKP", Some("Ed25519")) => Material::Ed25519 { x: jwk.x? },
            _ => return None,
        };
        let said = jwk.alg.as_deref().map(Signed::named);
        said.is_none_or(|said| said == Some(material.signs()))
            .then_some(Self {
                kid: jwk.kid,
                material,
            })
    }
}

impl Material {
    fn signs(&self) -> Signed {
        match self {
            Self::Rsa { .. } => Signed::Rs256,
            Self::P256 { .. } => Signed::Es256,
            Self::Ed25519 { .. } => Signed::EdDsa,
        }
    }

    fn decoding(&self) -> Option<(DecodingKey, Algorithm)> {
        Some(match self {
            Self::Rsa { n, e } => (DecodingKey::from_rsa_raw_components(n, e), Algorithm::RS256),
            Self::P256 { x, y } => (DecodingKey::from_ec_components(x, y).ok()?, Algorithm::ES256),
            Self::Ed25519 { x } => (DecodingKey::from_ed_components(x).ok()?, Algorithm::EdDSA),
        })
    }
}
