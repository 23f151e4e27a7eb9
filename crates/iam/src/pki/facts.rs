//! What a certificate says of itself, for people to read.

use sha2::{Digest, Sha256};
use types::Timestamp;
use x509_parser::{
    extensions::GeneralName,
    pem::{Pem, parse_x509_pem},
};

use super::PkiError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub subject: String,
    pub issuer: String,
    /// In hex.
    pub serial: String,
    /// Names and addresses of a server, or the cluster a client is.
    pub names: Vec<String>,
    pub not_before: Timestamp,
    pub not_after: Timestamp,
    /// SHA-256 of the certificate, in hex.
    pub fingerprint: String,
}

impl Facts {
    /// Of the first certificate of a chain.
    pub fn of(chain_pem: &str) -> Result<Self, PkiError> {
        let (_, pem) = parse_x509_pem(chain_pem.as_bytes()).map_err(|_| PkiError::Certificate)?;
        Self::read(&pem)
    }

    /// Of each certificate of a bundle.
    pub fn all(bundle_pem: &str) -> Result<Vec<Self>, PkiError> {
        Pem::iter_from_buffer(bundle_pem.as_bytes())
            .map(|pem| Self::read(&pem.map_err(|_| PkiError::Certificate)?))
            .collect()
    }

    fn read(pem: &Pem) -> Result<Self, PkiError> {
        let cert = pem.parse_x509().map_err(|_| PkiError::Certificate)?;
        let names = cert
            .subject_alternative_name()
            .ok()
            .flatten()
            .map(|names| names.value.general_names.iter().filter_map(shown).collect());
        Ok(Self {
            subject: cert.subject().to_string(),
            issuer: cert.issuer().to_string(),
            serial: hex(cert.raw_serial()),
            names: names.unwrap_or_default(),
            not_before: Timestamp(cert.validity().not_before.timestamp()),
            not_after: Timestamp(cert.validity().not_after.timestamp()),
            fingerprint: hex(&Sha256::digest(&pem.contents)),
        })
    }
}

fn shown(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) | GeneralName::URI(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => {
            let four = <[u8; 4]>::try_from(*bytes).map(std::net::IpAddr::from);
            let sixteen = <[u8; 16]>::try_from(*bytes).map(std::net::IpAddr::from);
            four.or(sixteen).ok().map(|address| address.to_string())
        }
        _ => None,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
