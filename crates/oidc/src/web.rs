//! One question over one connection: bounded in time and size, with no redirect followed.

use std::{path::Path, sync::Arc, time::Duration};

use http::{HeaderValue, Method, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use types::Secret;
use zeroize::Zeroizing;

const PATIENCE: Duration = Duration::from_secs(10);
const MAX_ANSWER: usize = 512 * 1024;
const SYSTEM: &str = "/etc/ssl/certs/ca-certificates.crt";

pub enum Question {
    Get,
    Form {
        body: Zeroizing<String>,
        /// For the header `Authorization`.
        basic: Option<Secret>,
    },
}

pub struct Answer {
    pub status: StatusCode,
    pub body: Zeroizing<Vec<u8>>,
}

/// `ca` stands in for the authorities that the host trusts.
pub async fn ask(uri: &Uri, ca: Option<&Path>, question: Question) -> Result<Answer, String> {
    let exchange = async {
        let host = uri.host().ok_or("it names no host")?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let tls = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
        let socket = TcpStream::connect((host, port)).await.map_err(said)?;
        if !tls {
            return exchange(socket, uri, question).await;
        }
        let name = ServerName::try_from(host.to_owned()).map_err(said)?;
        let connector = TlsConnector::from(Arc::new(trust(ca)?));
        let stream = connector.connect(name, socket).await.map_err(said)?;
        exchange(stream, uri, question).await
    };
    timeout(PATIENCE, exchange)
        .await
        .unwrap_or_else(|_| Err(format!("no answer within {} s", PATIENCE.as_secs())))
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    uri: &Uri,
    question: Question,
) -> Result<Answer, String> {
    let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut requests, connection) = handshake.map_err(said)?;
    // Ends with the exchange; what ended it is seen by whoever reads the answer.
    tokio::spawn(connection);
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let request = Request::builder()
        .uri(path)
        .header(header::HOST, authority)
        .header(header::ACCEPT, "application/json")
        .header(
            header::USER_AGENT,
            concat!("plasmacloud/", env!("CARGO_PKG_VERSION")),
        );
    let request = match question {
        Question::Get => request.method(Method::GET).body(Full::new(Bytes::new())),
        Question::Form { body, basic } => {
            let mut request = request
                .method(Method::POST)
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
            if let Some(basic) = basic {
                let mut value = HeaderValue::from_bytes(basic.expose()).map_err(said)?;
                value.set_sensitive(true);
                request = request.header(header::AUTHORIZATION, value);
            }
            request.body(Full::new(Bytes::copy_from_slice(body.as_bytes())))
        }
    };
    let answer = requests
        .send_request(request.map_err(said)?)
        .await
        .map_err(said)?;
    let status = answer.status();
    let body = Limited::new(answer.into_body(), MAX_ANSWER).collect().await;
    let body = body.map_err(|error| error.to_string())?.to_bytes();
    Ok(Answer {
        status,
        body: Zeroizing::new(body.to_vec()),
    })
}

pub fn trust(ca: Option<&Path>) -> Result<ClientConfig, String> {
    let file = ca.unwrap_or(Path::new(SYSTEM));
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(said)? {
        roots.add(certificate.map_err(said)?).map_err(said)?;
    }
    if roots.is_empty() {
        return Err(format!("{} holds no certificate", file.display()));
    }
    let crypto = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(crypto).with_safe_default_protocol_versions();
    Ok(config
        .map_err(said)?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

fn said(error: impl std::error::Error) -> String {
    error.to_string()
}
