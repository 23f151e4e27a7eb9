//! A certificate authority: a self-signed certificate and its key, P-256, ten years.

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256,
};
use serde::{Deserialize, Serialize};
use types::Timestamp;

use super::{Leaf, LeafRequest, PkiError, expiry::at};

const VALID_DAYS: i64 = 3650;
const DAY: i64 = 86_400;
/// Certificates begin a little in the past: clocks of machines differ.
pub(super) const BACKDATE: i64 = 300;

/// Serialised only inside the sealed material of a cluster; `Debug` shows the name alone.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authority {
    name: String,
    pub cert_pem: String,
    key_pem: String,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Authority {
    pub fn generate(name: &str, now: Timestamp) -> Result<Self, PkiError> {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(PkiError::Key)?;
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::CrlSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        params.not_before = at(now.plus(-BACKDATE));
        params.not_after = at(now.plus(VALID_DAYS * DAY));
        let cert = params.self_signed(&key).map_err(|source| PkiError::Sign {
            subject: name.to_owned(),
            source,
        })?;
        Ok(Self {
            name: name.to_owned(),
            cert_pem: cert.pem(),
            key_pem: key.serialize_pem(),
        })
    }

    pub fn key_pem(&self) -> &str {
        &self.key_pem
    }

    pub fn issue(&self, request: &LeafRequest, now: Timestamp) -> Result<Leaf, PkiError> {
        let parse = |source| PkiError::Authority {
            name: self.name.clone(),
            source,
        };
        let key = KeyPair::from_pem(&self.key_pem).map_err(parse)?;
        let issuer = Issuer::from_ca_cert_pem(&self.cert_pem, key).map_err(parse)?;
        Leaf::sign(request, &issuer, now)
    }
}
