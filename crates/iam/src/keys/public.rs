//! The public half of a signing key, as a JWK, and sets of them, as a JWKS document.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::KeyError;

const COORDINATE: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Jwk", into = "Jwk")]
pub struct PublicKey {
    kid: String,
    x: String,
    y: String,
}

/// As it is written. Members of other kinds of keys have no place here.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Jwk {
    kty: String,
    crv: String,
    x: String,
    y: String,
    kid: String,
    alg: String,
    r#use: String,
}

impl PublicKey {
    /// From a point as SEC 1 writes it without compression: `04`, x, y.
    pub(super) fn from_point(point: &[u8]) -> Result<Self, KeyError> {
        let Some((&4, rest)) = point.split_first() else {
            return Err(KeyError::NotJwk("no uncompressed point"));
        };
        if rest.len() != 2 * COORDINATE {
            return Err(KeyError::NotJwk("coordinates of another length"));
        }
        let (x, y) = rest.split_at(COORDINATE);
        let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
        Ok(Self {
            kid: thumbprint(&x, &y),
            x,
            y,
        })
    }

    pub fn kid(&self) -> &str {
        &self.kid
    }

    pub(crate) fn coordinates(&self) -> (&str, &str) {
        (&self.x, &self.y)
    }
}

/// RFC 7638: the required members in this order, without spaces.
fn thumbprint(x: &str, y: &str) -> String {
    let canonical = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
    URL_SAFE_NO_PAD.encode(Sha256::digest(canonical))
}

impl From<PublicKey> for Jwk {
    fn from(key: PublicKey) -> Self {
        Self {
            kty: "EC".to_owned(),
            crv: "P-256".to_owned(),
            x: key.x,
            y: key.y,
            kid: key.kid,
            alg: "ES256".to_owned(),
            r#use: "sig".to_owned(),
        }
    }
}

impl TryFrom<Jwk> for PublicKey {
    type Error = KeyError;
    fn try_from(jwk: Jwk) -> Result<Self, KeyError> {
        if (
            jwk.kty.as_str(),
            jwk.crv.as_str(),
            jwk.alg.as_str(),
            jwk.r#use.as_str(),
        ) != ("EC", "P-256", "ES256", "sig")
        {
            return Err(KeyError::NotJwk("another kind of key"));
        }
        let coordinate = |text: &str| {
            URL_SAFE_NO_PAD
                .decode(text)
                .ok()
                .filter(|bytes| bytes.len() == COORDINATE)
        };
        if coordinate(&jwk.x).is_none() || coordinate(&jwk.y).is_none() {
            return Err(KeyError::NotJwk("a coordinate is not 32 bytes"));
        }
        if thumbprint(&jwk.x, &jwk.y) != jwk.kid {
            return Err(KeyError::NotJwk("its kid is not its thumbprint"));
        }
        Ok(Self {
            kid: jwk.kid,
            x: jwk.x,
            y: jwk.y,
        })
    }
}

/// Written as `{"keys": […]}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Document", into = "Document")]
pub struct KeySet(pub Vec<PublicKey>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    keys: Vec<PublicKey>,
}

impl KeySet {
    pub fn find(&self, kid: &str) -> Option<&PublicKey> {
        self.0.iter().find(|key| key.kid == kid)
    }
}

impl From<KeySet> for Document {
    fn from(set: KeySet) -> Self {
        Self { keys: set.0 }
    }
}

impl From<Document> for KeySet {
    fn from(document: Document) -> Self {
        Self(document.keys)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::keys::SigningKey;

    #[test]
    fn a_key_is_a_jwk_and_back() {
        let key = SigningKey::generate().unwrap().public();
        let set = KeySet(vec![key.clone()]);
        let text = serde_json::to_value(&set).unwrap();
        assert_eq!(text["keys"][0]["kty"], "EC");
        assert_eq!(text["keys"][0]["alg"], "ES256");
        assert_eq!(text["keys"][0]["use"], "sig");
        assert_eq!(serde_json::from_value::<KeySet>(text).unwrap(), set);
        assert_eq!(set.find(key.kid()), Some(&key));
        assert_eq!(set.find("other"), None);
    }

    #[test]
    fn a_thumbprint_is_what_others_compute() {
        // Computed apart with Python's hashlib from RFC 7517's first example key.
        let (x, y) = (
            "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        );
        assert_eq!(thumbprint(x, y), "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s");
    }

    #[test]
    fn look_alikes_are_refused() {
        let good = serde_json::to_value(SigningKey::generate().unwrap().public()).unwrap();
        for (member, value) in [
            ("kty", json!("oct")),
            ("crv", json!("P-384")),
            ("alg", json!("HS256")),
            ("use", json!("enc")),
            ("kid", json!("mine")),
            ("x", json!("AA")),
            ("y", json!("not base64!")),
            ("d", json!("AA")),
        ] {
            let mut bad = good.clone();
            bad[member] = value;
            assert!(serde_json::from_value::<PublicKey>(bad).is_err(), "{member}");
        }
    }
}
