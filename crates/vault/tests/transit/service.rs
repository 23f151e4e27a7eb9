//! A key service as a process of its own, as small as one can be that still encrypts: this test binary, started again.
//!
//! Its tokens: `good`; `sealed` makes it answer as a sealed one does, `odd` with what is no answer; all others are refused.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};

use aes_gcm_siv::{Aes256GcmSiv, KeyInit, Nonce, aead::Aead};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::{
    body::{Bytes, Incoming},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use rustls::{ServerConfig, pki_types::PrivateKeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// Where the service puts its certificate; set only by the parent.
const CHILD: &str = "VAULT_TEST_KEY_SERVICE";
const TLS: &str = "VAULT_TEST_KEY_SERVICE_TLS";
/// Its first version, and only one.
const KEY: [u8; 32] = [1; 32];

pub struct Service {
    child: Child,
    pub address: String,
}

impl Service {
    pub fn start(dir: &Path, tls: bool) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "service_process", "--nocapture", "--test-threads=1"])
            .env(CHILD, dir)
            .env(TLS, if tls { "yes" } else { "" })
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once("serving at ")?.1.to_owned()))
            .expect("the service says where it is");
        Self { child, address }
    }

    pub fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop();
    }
}

pub async fn serve_if_asked() {
    let Ok(dir) = std::env::var(CHILD) else { return };
    let tls = acceptor(&PathBuf::from(dir));
    let tls = std::env::var(TLS).is_ok_and(|tls| !tls.is_empty()).then_some(tls);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    match &tls {
        Some(_) => println!("serving at https://localhost:{port}"),
        None => println!("serving at http://127.0.0.1:{port}"),
    }
    loop {
        let (socket, _) = listener.accept().await.unwrap();
        let tls = tls.clone();
        tokio::spawn(async move {
            let http = hyper::server::conn::http1::Builder::new();
            match tls {
                Some(tls) => {
                    if let Ok(stream) = tls.accept(socket).await {
                        let _ = http
                            .serve_connection(TokioIo::new(stream), service_fn(answer))
                            .await;
                    }
                }
                None => {
                    let _ = http
                        .serve_connection(TokioIo::new(socket), service_fn(answer))
                        .await;
                }
            }
        });
    }
}

fn acceptor(dir: &Path) -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(dir.join("ca.pem"), made.cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let crypto = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(crypto)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let token = request
        .headers()
        .get("x-vault-token")
        .map(|token| token.as_bytes().to_vec());
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await?.to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (status, said) = match token.as_deref() {
        Some(b"good") => carry_out(&path, &body),
        Some(b"sealed") => (503, json!({"errors": ["Vault is sealed"]})),
        Some(b"odd") => (200, json!("hello")),
        _ => (403, json!({"errors": ["permission denied"]})),
    };
    let mut response = Response::new(Full::new(Bytes::from(said.to_string())));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    Ok(response)
}

fn carry_out(path: &str, body: &Value) -> (u16, Value) {
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let done = match path {
        "/v1/transit/encrypt/plasmacloud" => {
            encrypt(&text("plaintext")).map(|wrapped| json!({"ciphertext": wrapped, "key_version": 1}))
        }
        "/v1/transit/decrypt/plasmacloud" => {
            decrypt(&text("ciphertext")).map(|plain| json!({"plaintext": plain}))
        }
        _ => return (404, json!({"errors": []})),
    };
    match done {
        Some(data) => (200, json!({"data": data})),
        None => (400, json!({"errors": ["invalid ciphertext"]})),
    }
}

fn cipher() -> Aes256GcmSiv {
    Aes256GcmSiv::new((&KEY).into())
}

fn encrypt(plaintext: &str) -> Option<String> {
    let plain = STANDARD.decode(plaintext).ok()?;
    let mut nonce = [0; 12];
    getrandom::fill(&mut nonce).ok()?;
    let sealed = cipher().encrypt(&Nonce::from(nonce), &plain[..]).ok()?;
    Some(format!(
        "vault:v1:{}",
        STANDARD.encode([&nonce[..], &sealed].concat())
    ))
}

fn decrypt(ciphertext: &str) -> Option<String> {
    let bytes = STANDARD.decode(ciphertext.strip_prefix("vault:v1:")?).ok()?;
    let (nonce, sealed) = bytes.split_first_chunk::<12>()?;
    let plain = cipher().decrypt(&Nonce::from(*nonce), sealed).ok()?;
    Some(STANDARD.encode(plain))
}
