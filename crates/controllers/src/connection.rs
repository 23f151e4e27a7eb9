//! The way to the API server on the same machine: one connection for everything, with a certificate of our own.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use http::Uri;
use hyper_util::{client::legacy, rt::TokioExecutor};
use kube::{
    Client,
    client::{Body, middleware::BaseUriLayer},
    config::{Kubeconfig, KubeconfigError},
};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject},
};
use tower::Layer;

#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    #[error("{0} is not a kubeconfig")]
    Kubeconfig(PathBuf, #[source] Box<KubeconfigError>),
    #[error("{0} names no {1}")]
    Incomplete(PathBuf, &'static str),
    #[error("{0} is not the address of a server")]
    Address(String, #[source] http::uri::InvalidUri),
    #[error("{0} cannot be read")]
    Read(PathBuf, #[source] io::Error),
    #[error("{0} holds no usable certificate or key")]
    Pem(PathBuf, #[source] pem::Error),
    #[error("the certificates and the key do not go together")]
    Tls(#[source] rustls::Error),
}

/// What a kubeconfig that names files says.
#[derive(Debug)]
pub struct Access {
    server: Uri,
    authority: PathBuf,
    /// Of ours; replaced by the platform before its end.
    pub certificate: PathBuf,
    key: PathBuf,
}

impl Access {
    pub fn read(path: &Path) -> Result<Self, ConnectionError> {
        let config = Kubeconfig::read_from(path)
            .map_err(|error| ConnectionError::Kubeconfig(path.to_owned(), Box::new(error)))?;
        let cluster = config.clusters.into_iter().find_map(|named| named.cluster);
        let user = config.auth_infos.into_iter().find_map(|named| named.auth_info);
        let lacks = |what| ConnectionError::Incomplete(path.to_owned(), what);
        let cluster = cluster.ok_or_else(|| lacks("cluster"))?;
        let user = user.ok_or_else(|| lacks("user"))?;
        let server = cluster.server.ok_or_else(|| lacks("server"))?;
        let file = |given: Option<String>, what| given.map(PathBuf::from).ok_or_else(|| lacks(what));
        Ok(Self {
            server: server
                .parse()
                .map_err(|error| ConnectionError::Address(server, error))?,
            authority: file(cluster.certificate_authority, "certificate authority")?,
            certificate: file(user.client_certificate, "client certificate")?,
            key: file(user.client_key, "client key")?,
        })
    }

    pub fn client(&self) -> Result<Client, ConnectionError> {
        // Many requests share one connection; a watch is one that does not end.
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(self.tls()?)
            .https_only()
            .enable_http2()
            .build();
        let http: legacy::Client<_, Body> = legacy::Client::builder(TokioExecutor::new())
            .http2_only(true)
            .build(connector);
        Ok(Client::new(
            BaseUriLayer::new(self.server.clone()).layer(http),
            "default",
        ))
    }

    fn tls(&self) -> Result<ClientConfig, ConnectionError> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(&self.authority)? {
            roots.add(certificate).map_err(ConnectionError::Tls)?;
        }
        let key = PrivateKeyDer::from_pem_slice(&read(&self.key)?)
            .map_err(|error| ConnectionError::Pem(self.key.clone(), error))?;
        ClientConfig::builder()
            .with_root_certificates(roots)
            .with_client_auth_cert(certificates(&self.certificate)?, key)
            .map_err(ConnectionError::Tls)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ConnectionError> {
    fs::read(path).map_err(|error| ConnectionError::Read(path.to_owned(), error))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ConnectionError> {
    let bytes = read(path)?;
    let bad = |error| ConnectionError::Pem(path.to_owned(), error);
    let found: Vec<_> = CertificateDer::pem_slice_iter(&bytes)
        .collect::<Result<_, _>>()
        .map_err(bad)?;
    if found.is_empty() {
        return Err(bad(pem::Error::NoItemsFound));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kubeconfig_that_lacks_something_says_what() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("k");
        let text = "apiVersion: v1\nkind: Config\nclusters:\n- name: c\n  cluster:\n    server: https://127.0.0.1:6443\n\
                    users:\n- name: u\n  user: {}\n";
        fs::write(&path, text).unwrap();
        let error = Access::read(&path).unwrap_err().to_string();
        assert!(error.contains("certificate authority"), "{error}");
        assert!(matches!(
            Access::read(&dir.path().join("none")),
            Err(ConnectionError::Kubeconfig(..))
        ));
    }
}
