//! One authority: its certificate and its key.

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, SerialNumber,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use types::Timestamp;
use zeroize::Zeroizing;

use super::PkiError;

/// Certificates begin a little in the past: clocks of machines differ.
pub(super) const BACKDATE: i64 = 300;
pub(super) const DAY: i64 = 86_400;

/// Serialised only inside what is sealed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Authority {
    pub cert_pem: String,
    key_pem: Zeroizing<String>,
    pub not_after: Timestamp,
    /// The same name and key under the root before: whoever knows only that one is led over by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_pem: Option<String>,
}

pub(super) fn at(moment: Timestamp) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(moment.0).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// 159 random bits: as many as fit twenty bytes without a sign.
pub(super) fn serial() -> Result<SerialNumber, PkiError> {
    let mut bytes = [0u8; 20];
    getrandom::fill(&mut bytes).map_err(|_| PkiError::Key(rcgen::Error::RingUnspecified))?;
    // The first byte is neither zero nor negative: the number is then written in one way only.
    bytes[0] = (bytes[0] & 0x7f) | 0x40;
    Ok(SerialNumber::from_slice(&bytes))
}

fn params(
    name: &str,
    is_root: bool,
    now: Timestamp,
    not_after: Timestamp,
) -> Result<CertificateParams, PkiError> {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    // Below a purpose there are leaves, and no further authorities.
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(u8::from(is_root)));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.serial_number = Some(serial()?);
    params.not_before = at(now.plus(-BACKDATE));
    params.not_after = at(not_after);
    Ok(params)
}

impl Authority {
    /// A root with no `parent`, else one below it.
    pub(super) fn generate(
        name: &str,
        valid_days: i64,
        parent: Option<&Self>,
        now: Timestamp,
    ) -> Result<Self, PkiError> {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(PkiError::Key)?;
        let not_after = now.plus(valid_days * DAY);
        let not_after = parent.map_or(not_after, |parent| not_after.min(parent.not_after));
        let mut params = params(name, parent.is_none(), now, not_after)?;
        let sign = |source| PkiError::Sign {
            what: name.to_owned(),
            source,
        };
        let cert = match parent {
            None => params.self_signed(&key).map_err(sign)?,
            Some(parent) => {
                params.use_authority_key_identifier_extension = true;
                params.signed_by(&key, &parent.issuer()?).map_err(sign)?
            }
        };
        Ok(Self {
            cert_pem: cert.pem(),
            key_pem: Zeroizing::new(key.serialize_pem()),
            not_after,
            cross_pem: None,
        })
    }

    /// Signs this one below `parent` as well, under the same name and with the same key.
    pub(super) fn cross(&mut self, name: &str, parent: &Self, now: Timestamp) -> Result<(), PkiError> {
        let key = KeyPair::from_pem(&self.key_pem).map_err(|_| PkiError::Sealed)?;
        let mut params = params(name, false, now, self.not_after.min(parent.not_after))?;
        params.use_authority_key_identifier_extension = true;
        let cert = params.signed_by(&key, &parent.issuer()?);
        let cert = cert.map_err(|source| PkiError::Sign {
            what: name.to_owned(),
            source,
        })?;
        self.cross_pem = Some(cert.pem());
        Ok(())
    }

    pub(super) fn issuer(&self) -> Result<Issuer<'static, KeyPair>, PkiError> {
        let key = KeyPair::from_pem(&self.key_pem).map_err(|_| PkiError::Sealed)?;
        Issuer::from_ca_cert_pem(&self.cert_pem, key).map_err(|_| PkiError::Sealed)
    }
}
