//! One connection to one cluster for one call. It is opened by hand rather than by the client's pool: the address and
//! the name are two things, a bad certificate must be told from an absent server, and nothing may outlive the call.

use std::{
    io,
    sync::Arc,
    task::{Context, Poll},
};

use http::{HeaderValue, Request, Response, header::HOST};
use http_body_util::Limited;
use hyper::{
    body::Incoming,
    client::conn::http1::{self, SendRequest},
};
use hyper_util::rt::TokioIo;
use kube::{Client, client::Body};
use ports::cluster_api::ApiTarget;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use tokio::{
    net::TcpStream,
    task::{AbortHandle, JoinHandle},
};
use tokio_rustls::TlsConnector;

use crate::error::CallError;

/// No answer we ask for comes near this; tenants can fill their cluster with large objects.
const MAX_ANSWER: usize = 16 << 20;

/// Dropping it closes the connection, in the middle of an answer too.
pub(crate) struct Session {
    client: Client,
    connection: AbortHandle,
}

impl Session {
    pub(crate) async fn open(target: &ApiTarget, crypto: Arc<CryptoProvider>) -> Result<Self, CallError> {
        let tls = TlsConnector::from(Arc::new(tls_config(target, crypto)?));
        let name = ServerName::try_from(target.server_name.clone()).map_err(material("server name"))?;
        let host = HeaderValue::from_str(&target.server_name).map_err(material("server name"))?;

        let tcp = TcpStream::connect(target.endpoint)
            .await
            .map_err(CallError::Connect)?;
        tcp.set_nodelay(true).map_err(CallError::Connect)?;
        let stream = tls.connect(name, tcp).await.map_err(handshake_error)?;
        let (requests, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(CallError::Http)?;
        // Its errors reach whoever waits for the answer.
        let connection: JoinHandle<_> = tokio::spawn(connection);
        let connection = connection.abort_handle();
        Ok(Self {
            client: Client::new(Wire { requests, host }, "default"),
            connection,
        })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

fn tls_config(target: &ApiTarget, crypto: Arc<CryptoProvider>) -> Result<ClientConfig, CallError> {
    let mut roots = RootCertStore::empty();
    for cert in certificates(&target.ca_pem, "cluster's authority")? {
        roots.add(cert).map_err(material("cluster's authority"))?;
    }
    let chain = certificates(&target.client_cert_pem, "client certificate")?;
    let key =
        PrivateKeyDer::from_pem_slice(target.client_key_pem.expose()).map_err(material("client key"))?;
    let mut config = ClientConfig::builder_with_provider(crypto)
        .with_safe_default_protocol_versions()
        .map_err(material("TLS version"))?
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key)
        .map_err(material("client key"))?;
    // A ticket is of no use to a configuration that lives for one connection.
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}

fn certificates(pem: &str, what: &'static str) -> Result<Vec<CertificateDer<'static>>, CallError> {
    let found: Vec<_> = CertificateDer::pem_slice_iter(pem.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(material(what))?;
    if found.is_empty() {
        return Err(material(what)("there is no certificate in it"));
    }
    Ok(found)
}

fn material<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
    what: &'static str,
) -> impl FnOnce(E) -> CallError {
    move |source| CallError::Material {
        what,
        source: source.into(),
    }
}

fn handshake_error(error: io::Error) -> CallError {
    use rustls::Error::{InvalidCertificate, NoCertificatesPresented};
    match error.get_ref().and_then(|e| e.downcast_ref::<rustls::Error>()) {
        Some(found @ (InvalidCertificate(_) | NoCertificatesPresented)) => CallError::Identity(found.clone()),
        _ => CallError::Handshake(error),
    }
}

/// The connection as the Kubernetes client wants it.
struct Wire {
    requests: SendRequest<Body>,
    host: HeaderValue,
}

impl tower::Service<Request<Body>> for Wire {
    type Response = Response<Limited<Incoming>>;
    type Error = hyper::Error;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.requests.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        request.headers_mut().insert(HOST, self.host.clone());
        let answer = self.requests.send_request(request);
        Box::pin(async move { Ok(answer.await?.map(|body| Limited::new(body, MAX_ANSWER))) })
    }
}
