//! A key service that wraps and unwraps, spoken to as HashiCorp Vault's and OpenBao's transit engines are:
//! `POST <address>/v1/<mount>/encrypt/<key>` with `{"plaintext": <base64>}`, and `decrypt` with `{"ciphertext": …}`; the
//! token in `X-Vault-Token`. What it wraps is a master key, never a tenant's secret.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use types::{Fault, Secret};
use zeroize::Zeroizing;

use crate::keyring::MasterKey;

const PATIENCE: Duration = Duration::from_secs(15);
const MAX_ANSWER: usize = 64 * 1024;

/// How the key service is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransitOptions {
    /// `https://host:port`; plain http only on this host.
    pub address: String,
    /// Path of the transit engine, `transit` as a rule.
    pub mount: String,
    /// Name of the key.
    pub key: String,
    /// Holds the token and nothing else. Read for each call, because agents renew it.
    pub token_file: PathBuf,
    /// Certificates of the authority that vouches for the service.
    pub ca_file: Option<PathBuf>,
}

pub(crate) struct Transit<'a> {
    options: &'a TransitOptions,
    host: String,
    port: u16,
    tls: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Question<'a> {
    Plaintext(&'a str),
    Ciphertext(&'a str),
}

#[derive(Deserialize)]
struct Answer<T> {
    data: T,
}

#[derive(Deserialize)]
struct Wrapped {
    ciphertext: String,
}

#[derive(Deserialize)]
struct Unwrapped {
    plaintext: Zeroizing<String>,
}

/// What the service says of itself when it refuses.
#[derive(Deserialize, Default)]
struct Errors {
    #[serde(default)]
    errors: Vec<String>,
}

impl<'a> Transit<'a> {
    pub(crate) fn new(options: &'a TransitOptions) -> Result<Self, Fault> {
        let wrong = |what: &str| {
            Fault::invalid(
                "kms-address",
                format!("master_key: '{}' {what}", options.address),
                "give an address such as https://vault.example:8200",
            )
        };
        let uri: Uri = options.address.parse().map_err(|_| wrong("is not an address"))?;
        let host = uri.host().ok_or_else(|| wrong("names no host"))?.to_owned();
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") if is_loopback(&host) => false,
            Some("http") => return Err(wrong("would send the master key over the network in clear")),
            _ => return Err(wrong("is neither https nor http")),
        };
        if !matches!(uri.path(), "" | "/") {
            return Err(wrong("has a path; that goes into mount and key"));
        }
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        };
        if !is_word(&options.key) || !options.mount.split('/').all(is_word) {
            return Err(Fault::invalid(
                "kms-key-name",
                format!(
                    "master_key: '{}' of '{}' is not a key's name",
                    options.key, options.mount
                ),
                "give mount and key as the service lists them, such as transit and plasmacloud",
            ));
        }
        let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
        Ok(Self {
            options,
            host,
            port,
            tls,
        })
    }

    pub(crate) async fn encrypt(&self, key: &MasterKey) -> Result<String, Fault> {
        let plaintext = Zeroizing::new(STANDARD.encode(**key));
        let answer: Answer<Wrapped> = self.ask("encrypt", Question::Plaintext(&plaintext)).await?;
        let wrapped = answer.data.ciphertext;
        // It becomes a word of a line.
        if wrapped.is_empty() || !wrapped.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(self.odd("its ciphertext is not one word"));
        }
        Ok(wrapped)
    }

    pub(crate) async fn decrypt(&self, wrapped: &str) -> Result<MasterKey, Fault> {
        let answer: Answer<Unwrapped> = self.ask("decrypt", Question::Ciphertext(wrapped)).await?;
        let plain = STANDARD
            .decode(answer.data.plaintext.as_bytes())
            .map(Zeroizing::new);
        let plain = plain.map_err(|_| self.odd("its plaintext is not base64"))?;
        let key = plain.as_slice().try_into();
        key.map(MasterKey::new)
            .map_err(|_| self.odd("what it unwrapped is not a key of 32 bytes"))
    }

    async fn ask<T: for<'de> Deserialize<'de>>(
        &self,
        what: &'static str,
        question: Question<'_>,
    ) -> Result<T, Fault> {
        let exchange = async {
            let socket = TcpStream::connect((self.host.as_str(), self.port)).await;
            let socket = socket.map_err(|error| self.away(&error))?;
            if !self.tls {
                return self.exchange(socket, what, question).await;
            }
            let name = ServerName::try_from(self.host.clone()).map_err(|error| self.away(&error))?;
            let connector = TlsConnector::from(Arc::new(self.trust()?));
            let stream = connector.connect(name, socket).await;
            self.exchange(stream.map_err(|error| self.away(&error))?, what, question)
                .await
        };
        timeout(PATIENCE, exchange)
            .await
            .map_err(|_| self.away(&"no answer in time"))?
    }

    async fn exchange<T: for<'de> Deserialize<'de>>(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        what: &'static str,
        question: Question<'_>,
    ) -> Result<T, Fault> {
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (mut requests, connection) = handshake.map_err(|error| self.away(&error))?;
        // Ends with the exchange; what ended it is seen by whoever reads the answer.
        tokio::spawn(connection);
        let TransitOptions { mount, key, .. } = self.options;
        let body = serde_json::to_vec(&question).map_err(|error| self.away(&error))?;
        let token = self.token()?;
        let mut token = http::HeaderValue::from_bytes(token.expose()).map_err(|error| self.away(&error))?;
        token.set_sensitive(true);
        let request = Request::post(format!("/v1/{mount}/{what}/{key}"))
            .header(header::HOST, format!("{}:{}", self.host, self.port))
            .header(header::CONTENT_TYPE, "application/json")
            .header("x-vault-token", token)
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| self.away(&error))?;
        let answer = requests.send_request(request).await;
        let answer = answer.map_err(|error| self.away(&error))?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MAX_ANSWER).collect().await;
        let body = body.map_err(|error| self.away(&error))?.to_bytes();
        if !status.is_success() {
            let said: Errors = serde_json::from_slice(&body).unwrap_or_default();
            return Err(self.refused(what, status, &said.errors.join("; ")));
        }
        serde_json::from_slice(&body).map_err(|_| self.odd("it is not the JSON of a transit engine"))
    }

    fn token(&self) -> Result<Secret, Fault> {
        let path = &self.options.token_file;
        let text = fs::read(path).map(Zeroizing::new).map_err(|error| {
            Fault::refused(
                "kms-token",
                format!(
                    "the key service's token {} cannot be read: {error}",
                    path.display()
                ),
                "put a token there that may encrypt and decrypt with the key, readable for cloudd",
            )
        })?;
        Ok(Secret::new(text.trim_ascii()))
    }

    fn trust(&self) -> Result<ClientConfig, Fault> {
        const SYSTEM: &str = "/etc/ssl/certs/ca-certificates.crt";
        let file = self.options.ca_file.clone().unwrap_or_else(|| SYSTEM.into());
        let wrong = |what: String| {
            Fault::refused(
                "kms-authority",
                format!("the authorities in {} cannot be used: {what}", file.display()),
                "name a file of PEM certificates with ca_file under [master_key]",
            )
        };
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(&file).map_err(|error| wrong(error.to_string()))? {
            let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
            roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
        }
        let crypto = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(crypto).with_safe_default_protocol_versions();
        let config = config.map_err(|error| wrong(error.to_string()))?;
        Ok(config.with_root_certificates(roots).with_no_client_auth())
    }

    fn away(&self, error: &dyn std::fmt::Display) -> Fault {
        Fault::unavailable(
            "kms-unreachable",
            format!(
                "the key service {} does not answer: {error}",
                self.options.address
            ),
            "bring it back, or correct its address under [master_key]; clusters go on meanwhile",
        )
    }

    fn refused(&self, what: &str, status: StatusCode, said: &str) -> Fault {
        let TransitOptions {
            address, mount, key, ..
        } = self.options;
        let cause =
            format!("the key service {address} refuses to {what} with {mount}/{key}: {status} {said}");
        if status.is_server_error() {
            return Fault::unavailable(
                "kms-failing",
                cause,
                "bring the service in order; a sealed one must be unsealed",
            );
        }
        Fault::refused(
            "kms-refused",
            cause,
            "check the key's name, and that the token is good and may encrypt and decrypt with it",
        )
    }

    fn odd(&self, what: &str) -> Fault {
        Fault::refused(
            "kms-answer",
            format!(
                "the answer of the key service {} is not understood: {what}",
                self.options.address
            ),
            "check that the address is that of a transit engine",
        )
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
