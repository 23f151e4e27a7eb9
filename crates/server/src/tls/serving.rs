//! The certificate that is shown now. It is exchanged while connections come in: each handshake takes the one there is.

use std::{
    fmt, fs, io,
    path::Path,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use rustls::{
    ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use types::{Fault, Secret};

use super::Own;
use crate::{
    router::Stop,
    surface::{ApiServing, Surface},
};

/// How often it is looked whether there is another one.
const PERIOD: Duration = Duration::from_secs(10);

pub struct Serving {
    /// With the chain it was made of.
    current: RwLock<(String, Arc<CertifiedKey>)>,
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Serving")
    }
}

impl Serving {
    pub fn new(shown: &ApiServing) -> Result<Self, Fault> {
        Ok(Self {
            current: RwLock::new((shown.chain_pem.clone(), Arc::new(certified(shown)?))),
        })
    }

    /// In force from the next handshake on. Whether it is another one.
    pub fn exchange(&self, shown: &ApiServing) -> Result<bool, Fault> {
        if self.current.read().unwrap_or_else(PoisonError::into_inner).0 == shown.chain_pem {
            return Ok(false);
        }
        let made = (shown.chain_pem.clone(), Arc::new(certified(shown)?));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = made;
        Ok(true)
    }

    /// TLS 1.2 and 1.3 with what rustls takes for safe.
    pub fn config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, Fault> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
            .map_err(|error| Fault::internal("tls", error.to_string()))?
            .with_no_client_auth()
            .with_cert_resolver(self.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

impl ResolvesServerCert for Serving {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Some(current.1.clone())
    }
}

fn certified(shown: &ApiServing) -> Result<CertifiedKey, Fault> {
    let bad = |what: String| {
        Fault::refused(
            "tls-certificate",
            format!("the certificate of the API cannot be used: {what}"),
            "check certificate_file and key_file in [tls] of cloudd.toml",
        )
    };
    let chain = CertificateDer::pem_slice_iter(shown.chain_pem.as_bytes()).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|_| bad("it is not PEM".to_owned()))?;
    if chain.is_empty() {
        return Err(bad("there is none in the file".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_slice(shown.key_pem.expose());
    let key = key.map_err(|_| bad("its key is not PEM".to_owned()))?;
    CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider()).map_err(|error| bad(error.to_string()))
}

/// What is to be shown now.
pub(crate) async fn wanted(surface: &dyn Surface, own: Option<&Own>) -> Result<ApiServing, Fault> {
    match own {
        Some(own) => Ok(ApiServing {
            chain_pem: fs::read_to_string(&own.certificate)
                .map_err(|error| unreadable(&own.certificate, &error))?,
            key_pem: Secret::new(fs::read(&own.key).map_err(|error| unreadable(&own.key, &error))?),
        }),
        None => surface.api_serving().await?.ok_or_else(|| {
            Fault::internal(
                "tls-certificate",
                "the platform made no certificate for its own API",
            )
        }),
    }
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> Fault {
    Fault::refused(
        "tls-file-unreadable",
        format!("{} cannot be read: {error}", path.display()),
        "give files in [tls] of cloudd.toml that root can read",
    )
}

/// Exchanges it whenever there is another one, ours or the operator's, until told to stop.
pub async fn keep(serving: Arc<Serving>, surface: Arc<dyn Surface>, own: Option<Own>, mut stop: Stop) {
    let mut complained = None;
    loop {
        let looked = async { serving.exchange(&wanted(&*surface, own.as_ref()).await?) };
        match looked.await {
            Ok(exchanged) => {
                complained = None;
                if exchanged {
                    tracing::info!("the API shows a new certificate");
                }
            }
            Err(fault) => {
                if complained.as_ref() != Some(&fault) {
                    tracing::warn!(%fault, "the API goes on with the certificate it has");
                }
                complained = Some(fault);
            }
        }
        tokio::select! {
            () = tokio::time::sleep(PERIOD) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}
