//! Certificates that name somebody: a server at some addresses, or a client with a user name and groups.

use std::net::IpAddr;

use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, SanType,
};
use serde::{Deserialize, Serialize};
use types::Timestamp;

use super::{PkiError, authority::BACKDATE, expiry::at};

/// Serialised only inside sealed material; `Debug` does not show the key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    pub cert_pem: String,
    pub key_pem: String,
}

impl std::fmt::Debug for Leaf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Leaf").finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    Server,
    Client,
    /// etcd members are both to one another.
    Peer,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    pub dns: Vec<String>,
    pub addresses: Vec<IpAddr>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafRequest {
    pub common_name: String,
    /// Kubernetes reads a client's organisations as its groups.
    pub groups: Vec<String>,
    pub usage: Usage,
    pub names: Names,
    pub valid_seconds: i64,
}

/// How long what we issue to machines is good for; renewed when a third of it is left.
pub const MACHINE_VALID: i64 = 365 * 86_400;

impl LeafRequest {
    pub fn client(user: &str, groups: &[&str]) -> Self {
        Self {
            common_name: user.to_owned(),
            groups: groups.iter().map(|g| (*g).to_owned()).collect(),
            usage: Usage::Client,
            names: Names::default(),
            valid_seconds: MACHINE_VALID,
        }
    }

    pub fn server(common_name: &str, names: Names) -> Self {
        Self {
            common_name: common_name.to_owned(),
            groups: Vec::new(),
            usage: Usage::Server,
            names,
            valid_seconds: MACHINE_VALID,
        }
    }

    pub fn valid_seconds(self, valid_seconds: i64) -> Self {
        Self {
            valid_seconds,
            ..self
        }
    }

    pub fn usage(self, usage: Usage) -> Self {
        Self { usage, ..self }
    }
}

impl Leaf {
    pub(super) fn sign(
        request: &LeafRequest,
        issuer: &Issuer<'_, KeyPair>,
        now: Timestamp,
    ) -> Result<Self, PkiError> {
        let sign = |source| PkiError::Sign {
            subject: request.common_name.clone(),
            source,
        };
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(PkiError::Key)?;
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        for group in &request.groups {
            params
                .distinguished_name
                .push(DnType::OrganizationName, group.as_str());
        }
        params
            .distinguished_name
            .push(DnType::CommonName, request.common_name.as_str());
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = match request.usage {
            Usage::Server => vec![ExtendedKeyUsagePurpose::ServerAuth],
            Usage::Client => vec![ExtendedKeyUsagePurpose::ClientAuth],
            Usage::Peer => vec![
                ExtendedKeyUsagePurpose::ServerAuth,
                ExtendedKeyUsagePurpose::ClientAuth,
            ],
        };
        for name in &request.names.dns {
            params
                .subject_alt_names
                .push(SanType::DnsName(name.as_str().try_into().map_err(sign)?));
        }
        params
            .subject_alt_names
            .extend(request.names.addresses.iter().map(|a| SanType::IpAddress(*a)));
        params.not_before = at(now.plus(-BACKDATE));
        params.not_after = at(now.plus(request.valid_seconds));
        params.use_authority_key_identifier_extension = true;
        let cert = params.signed_by(&key, issuer).map_err(sign)?;
        Ok(Self {
            cert_pem: cert.pem(),
            key_pem: key.serialize_pem(),
        })
    }
}
