//! TLS of one network's TokenReview: our certificate, and who may come in.
//!
//! Sessions are not resumed: a resumed one would come in without its certificate being looked at again.

use std::{fmt, sync::Arc};

use iam::pki::{cluster_of, serial_in};
use ports::edge::{EdgeIdentity, Serving};
use rustls::{
    RootCertStore, ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer, UnixTime, pem::PemObject},
    server::{NoServerSessionStorage, WebPkiClientVerifier, danger::ClientCertVerifier},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use types::{ClusterId, Secret};

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("the {0} is not PEM")]
    Pem(&'static str),
    #[error("there is no {0}")]
    Missing(&'static str),
    #[error("rustls does not take it: {0}")]
    Refused(String),
}

pub struct Tls {
    acceptor: TlsAcceptor,
    verifier: Arc<dyn ClientCertVerifier>,
    /// For whoever comes from outside, with a ticket instead of a certificate.
    anyone: TlsAcceptor,
    /// What it was made of.
    made_of: (Serving, String, Vec<String>),
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

/// Whose certificate was shown.
pub struct Caller {
    pub cluster: ClusterId,
    /// Of the certificate, in hex.
    pub serial: String,
    chain: Vec<CertificateDer<'static>>,
}

impl Tls {
    /// Nothing while the key is not there.
    pub fn new(identity: &EdgeIdentity, serving: &Serving) -> Result<Option<Self>, TlsError> {
        let Some(key) = &serving.key_pem else {
            return Ok(None);
        };
        let refused = |error: &dyn fmt::Display| TlsError::Refused(error.to_string());
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier = verifier(identity, provider.clone())?;
        let builder = || {
            ServerConfig::builder_with_provider(provider.clone())
                .with_safe_default_protocol_versions()
                .map_err(|error| refused(&error))
        };
        let chain = certificates("certificate", &serving.chain_pem)?;
        let acceptor = |config: Result<ServerConfig, rustls::Error>| {
            let mut config = config.map_err(|error| refused(&error))?;
            config.alpn_protocols = vec![b"http/1.1".to_vec()];
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
            Ok::<_, TlsError>(TlsAcceptor::from(Arc::new(config)))
        };
        let known = builder()?.with_client_cert_verifier(verifier.clone());
        let anyone = builder()?.with_no_client_auth();
        Ok(Some(Self {
            acceptor: acceptor(known.with_single_cert(chain.clone(), private(key)?))?,
            anyone: acceptor(anyone.with_single_cert(chain, private(key)?))?,
            verifier,
            made_of: made_of(identity, serving),
        }))
    }

    /// Whether making it anew of these would come to the same.
    pub(super) fn is_of(&self, identity: &EdgeIdentity, serving: &Serving) -> bool {
        self.made_of == made_of(identity, serving)
    }

    pub(super) async fn accept(&self, stream: TcpStream) -> std::io::Result<TlsStream<TcpStream>> {
        self.acceptor.accept(stream).await
    }

    pub(crate) async fn welcome<S>(&self, stream: S) -> std::io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.anyone.accept(stream).await
    }

    /// Whether the caller would be let in now: revocations came, or authorities went, since it was.
    pub(super) fn still_good(&self, caller: &Caller) -> bool {
        let Some((own, above)) = caller.chain.split_first() else {
            return false;
        };
        self.verifier
            .verify_client_cert(own, above, UnixTime::now())
            .is_ok()
    }
}

impl Caller {
    /// From a connection whose certificate was verified.
    pub(super) fn of(stream: &TlsStream<TcpStream>) -> Option<Self> {
        let chain = stream.get_ref().1.peer_certificates()?;
        let chain: Vec<_> = chain.iter().map(|cert| cert.clone().into_owned()).collect();
        Some(Self {
            cluster: cluster_of(chain.first()?)?,
            serial: serial_in(chain.first()?)?,
            chain,
        })
    }
}

fn made_of(identity: &EdgeIdentity, serving: &Serving) -> (Serving, String, Vec<String>) {
    (
        serving.clone(),
        identity.authorities.clone(),
        identity.revocations.clone(),
    )
}

fn verifier(
    identity: &EdgeIdentity,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let refused = |error: &dyn fmt::Display| TlsError::Refused(error.to_string());
    let mut anchors = RootCertStore::empty();
    for authority in certificates("client authority", &identity.authorities)? {
        anchors.add(authority).map_err(|error| refused(&error))?;
    }
    let lists = identity.revocations.iter().map(|list| {
        CertificateRevocationListDer::from_pem_slice(list.as_bytes())
            .map_err(|_| TlsError::Pem("revocation list"))
    });
    let lists = lists.collect::<Result<Vec<_>, _>>()?;
    // A certificate whose authority has no list is refused. A list whose time is over still counts: it is the newest
    // there is while the platform is away.
    WebPkiClientVerifier::builder_with_provider(Arc::new(anchors), provider)
        .with_crls(lists)
        .build()
        .map_err(|error| refused(&error))
}

fn certificates(what: &'static str, pem: &str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let all = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<Vec<_>, _>>();
    let all = all.map_err(|_| TlsError::Pem(what))?;
    if all.is_empty() {
        return Err(TlsError::Missing(what));
    }
    Ok(all)
}

fn private(key: &Secret) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(key.expose()).map_err(|_| TlsError::Pem("key"))
}
