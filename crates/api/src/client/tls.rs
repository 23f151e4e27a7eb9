//! TLS of the client: whose word is taken that the other side is the platform.

use std::{fs, io, sync::Arc};

use http::uri::Authority;
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use sha2::{Digest, Sha256};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::ClientError;

/// Where distributions keep what the whole system trusts.
const SYSTEM: [&str; 3] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
];

/// What an `https://` endpoint is checked by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// What the system trusts.
    System,
    /// Authorities in PEM.
    Bundle(String),
    /// The SHA-256 of an authority that the platform shows with its certificate.
    Fingerprint([u8; 32]),
}

impl Trust {
    /// From `sha256:` and 64 digits, colons between them or not.
    pub fn fingerprint(text: &str) -> Option<Self> {
        let hex: String = text.strip_prefix("sha256:")?.split(':').collect();
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        let mut bytes = [0u8; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(Self::Fingerprint(bytes))
    }
}

#[derive(Clone)]
pub(super) struct Tls {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl Tls {
    pub(super) fn new(authority: &Authority, trust: &Trust) -> Result<Self, ClientError> {
        let wrong = |detail: String| ClientError::Trust { detail };
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
            .map_err(|error| wrong(error.to_string()))?;
        let mut config = match trust {
            Trust::Fingerprint(fingerprint) => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Pinned {
                    fingerprint: *fingerprint,
                    provider,
                }))
                .with_no_client_auth(),
            Trust::Bundle(pem) => builder.with_root_certificates(roots(pem)?).with_no_client_auth(),
            Trust::System => {
                let pem = SYSTEM.iter().find_map(|path| fs::read_to_string(path).ok());
                builder
                    .with_root_certificates(roots(&pem.unwrap_or_default())?)
                    .with_no_client_auth()
            }
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            connector: TlsConnector::from(Arc::new(config)),
            name,
        })
    }

    pub(super) async fn connect(&self, socket: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.connector.connect(self.name.clone(), socket).await
    }
}

fn roots(pem: &str) -> Result<RootCertStore, ClientError> {
    let mut store = RootCertStore::empty();
    let certs = CertificateDer::pem_slice_iter(pem.as_bytes()).filter_map(Result::ok);
    store.add_parsable_certificates(certs);
    if store.is_empty() {
        return Err(ClientError::Trust {
            detail: "there is no authority that could vouch for it".to_owned(),
        });
    }
    Ok(store)
}

/// Why a handshake ended, where it is the certificate that was not believed.
pub(super) fn disbelief(error: &io::Error) -> Option<String> {
    let inner = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    match inner {
        rustls::Error::InvalidCertificate(reason) => Some(match reason {
            rustls::CertificateError::UnknownIssuer => "no authority known here signed it".to_owned(),
            rustls::CertificateError::Expired | rustls::CertificateError::ExpiredContext { .. } => {
                "it has expired".to_owned()
            }
            rustls::CertificateError::NotValidForName
            | rustls::CertificateError::NotValidForNameContext { .. } => "it is for another name".to_owned(),
            other => other.to_string(),
        }),
        _ => None,
    }
}

/// Believes what the one authority vouches for that has this fingerprint.
#[derive(Debug)]
struct Pinned {
    fingerprint: [u8; 32],
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        above: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let unknown = || rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        let pinned = above
            .iter()
            .find(|cert| <[u8; 32]>::from(Sha256::digest(cert.as_ref())) == self.fingerprint)
            .ok_or_else(unknown)?;
        let mut store = RootCertStore::empty();
        store.add(pinned.clone().into_owned()).map_err(|_| unknown())?;
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(store), self.provider.clone())
            .build()
            .map_err(|_| unknown())?;
        verifier.verify_server_cert(own, above, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            cert,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            cert,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_as_people_write_it() {
        let hex = "ab".repeat(32);
        let expected = Some(Trust::Fingerprint([0xab; 32]));
        assert_eq!(Trust::fingerprint(&format!("sha256:{hex}")), expected);
        let colons = vec!["AB"; 32].join(":");
        assert_eq!(Trust::fingerprint(&format!("sha256:{colons}")), expected);
        for bad in [
            "",
            "sha256:",
            &hex,
            "sha256:zz",
            &format!("sha256:{hex}0"),
            "sha256:é",
        ] {
            assert_eq!(Trust::fingerprint(bad), None, "{bad}");
        }
    }
}
