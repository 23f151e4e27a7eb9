//! When certificates begin and end.

use time::OffsetDateTime;
use types::Timestamp;

use super::PkiError;

pub(super) fn at(moment: Timestamp) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(moment.0).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// When a certificate stops being good.
pub fn not_after(cert_pem: &str) -> Result<Timestamp, PkiError> {
    let parse = |detail: String| PkiError::Certificate(detail);
    let (_, pem) =
        x509_parser::pem::parse_x509_pem(cert_pem.as_bytes()).map_err(|error| parse(error.to_string()))?;
    let cert = pem.parse_x509().map_err(|error| parse(error.to_string()))?;
    Ok(Timestamp(cert.validity().not_after.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pki::{Authority, LeafRequest};

    #[test]
    fn a_leaf_ends_when_it_was_asked_to() {
        let now = Timestamp(1_800_000_000);
        let ca = Authority::generate("test", now).unwrap();
        let leaf = ca.issue(&LeafRequest::client("ana", &["g1", "g2"]), now).unwrap();
        assert_eq!(
            not_after(&leaf.cert_pem).unwrap(),
            now.plus(crate::pki::leaf::MACHINE_VALID)
        );
        assert!(not_after("garbage").is_err());
    }
}
