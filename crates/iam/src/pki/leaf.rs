//! What a service or a cluster shows, and what can be read in it.

use std::{fmt, net::IpAddr};

use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, SanType,
};
use types::{ClusterId, Secret, Timestamp};
use x509_parser::{extensions::GeneralName, prelude::*};

use super::{
    PkiError,
    authority::{Authority, BACKDATE, DAY, at, serial},
    facts::Facts,
};

/// Renewed when a third is left.
pub(super) const VALID_DAYS: i64 = 90;

/// Says in a certificate which cluster's control plane shows it.
const CLUSTER_URI: &str = "urn:plasmacloud:cluster:";

/// A certificate with its key.
#[derive(Clone, PartialEq, Eq)]
pub struct Issued {
    /// The certificate, then the authority that signed it.
    pub chain_pem: String,
    pub key_pem: Secret,
    /// In hex, for a revocation.
    pub serial: String,
    pub not_after: Timestamp,
}

impl fmt::Debug for Issued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issued")
            .field("serial", &self.serial)
            .field("not_after", &self.not_after)
            .finish_non_exhaustive()
    }
}

pub(super) enum Bearer<'a> {
    Server {
        names: &'a [&'a str],
        addresses: &'a [IpAddr],
    },
    Cluster(&'a ClusterId),
}

impl Bearer<'_> {
    fn name(&self) -> String {
        match self {
            Self::Server { names, .. } => names.first().map_or("server", |name| name).to_owned(),
            Self::Cluster(id) => id.to_string(),
        }
    }
}

impl Issued {
    pub(super) fn sign(bearer: &Bearer<'_>, authority: &Authority, now: Timestamp) -> Result<Self, PkiError> {
        let sign = |source| PkiError::Sign {
            what: bearer.name(),
            source,
        };
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(PkiError::Key)?;
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, bearer.name());
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        match bearer {
            Bearer::Server { names, addresses } => {
                params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
                for name in *names {
                    let name = (*name).try_into().map_err(sign)?;
                    params.subject_alt_names.push(SanType::DnsName(name));
                }
                let addresses = addresses.iter().map(|address| SanType::IpAddress(*address));
                params.subject_alt_names.extend(addresses);
            }
            Bearer::Cluster(id) => {
                params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
                let uri = format!("{CLUSTER_URI}{id}").try_into().map_err(sign)?;
                params.subject_alt_names.push(SanType::URI(uri));
            }
        }
        let serial = serial()?;
        let not_after = now.plus(VALID_DAYS * DAY).min(authority.not_after);
        params.serial_number = Some(serial.clone());
        params.not_before = at(now.plus(-BACKDATE));
        params.not_after = at(not_after);
        params.use_authority_key_identifier_extension = true;
        let cert = params.signed_by(&key, &authority.issuer()?).map_err(sign)?;
        // Clients of ours trust one root or the other while the root is replaced.
        let cross = match bearer {
            Bearer::Server { .. } => authority.cross_pem.as_deref().unwrap_or_default(),
            Bearer::Cluster(_) => "",
        };
        Ok(Self {
            chain_pem: format!("{}{}{cross}", cert.pem(), authority.cert_pem),
            key_pem: Secret::new(key.serialize_pem()),
            serial: serial.to_bytes().iter().map(|b| format!("{b:02x}")).collect(),
            not_after,
        })
    }
}

/// The cluster that a client certificate is of. The certificate must have been verified.
pub fn cluster_of(cert_der: &[u8]) -> Option<ClusterId> {
    let (_, cert) = X509Certificate::from_der(cert_der).ok()?;
    let names = cert.subject_alternative_name().ok().flatten()?;
    match names.value.general_names.as_slice() {
        [GeneralName::URI(uri)] => uri.strip_prefix(CLUSTER_URI)?.parse().ok(),
        _ => None,
    }
}

/// The serial number of a certificate, in hex.
pub fn serial_in(cert_der: &[u8]) -> Option<String> {
    let (_, cert) = X509Certificate::from_der(cert_der).ok()?;
    Some(cert.raw_serial().iter().map(|b| format!("{b:02x}")).collect())
}

/// When the first certificate of a chain stops being good.
pub fn not_after(chain_pem: &str) -> Result<Timestamp, PkiError> {
    Ok(Facts::of(chain_pem)?.not_after)
}

/// The serial number of the first certificate of a chain, in hex.
pub fn serial_of(chain_pem: &str) -> Result<String, PkiError> {
    Ok(Facts::of(chain_pem)?.serial)
}
