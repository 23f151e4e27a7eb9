//! One private key.

use std::fmt;

use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256};
use types::Secret;

use super::{KeyError, PublicKey};

#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey {
    pkcs8: Secret,
    public: PublicKey,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("kid", &self.kid())
            .finish_non_exhaustive()
    }
}

impl SigningKey {
    pub fn generate() -> Result<Self, KeyError> {
        let pair = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|_| KeyError::Generate)?;
        Self::of(&pair)
    }

    pub fn from_pkcs8(pkcs8: &Secret) -> Result<Self, KeyError> {
        let der = pkcs8.expose().into();
        let pair = KeyPair::from_pkcs8_der_and_sign_algo(&der, &PKCS_ECDSA_P256_SHA256)
            .map_err(|_| KeyError::NotPkcs8)?;
        Self::of(&pair)
    }

    fn of(pair: &KeyPair) -> Result<Self, KeyError> {
        Ok(Self {
            pkcs8: Secret::new(pair.serialize_der()),
            public: PublicKey::from_point(pair.public_key_raw())?,
        })
    }

    pub fn to_pkcs8(&self) -> Secret {
        self.pkcs8.clone()
    }

    pub(crate) fn pkcs8(&self) -> &[u8] {
        self.pkcs8.expose()
    }

    /// The RFC 7638 thumbprint.
    pub fn kid(&self) -> &str {
        self.public.kid()
    }

    pub fn public(&self) -> PublicKey {
        self.public.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_and_comes_back() {
        let key = SigningKey::generate().unwrap();
        assert_eq!(SigningKey::from_pkcs8(&key.to_pkcs8()).unwrap(), key);
        assert_ne!(SigningKey::generate().unwrap().kid(), key.kid());
        assert_eq!(
            SigningKey::from_pkcs8(&Secret::new("nonsense")),
            Err(KeyError::NotPkcs8)
        );
        assert!(!format!("{key:?}").contains("pkcs8"));
    }
}
