//! The API over TLS, through the real client and by hand. Needs nothing but the loopback interface.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use api::client::{Client, ClientError, Trust};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use server::{
    fake::{Fake, FakePki, PROJECT, TOKEN},
    tls::{Bounds, Tls},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::watch,
};

struct Site {
    endpoint: String,
    pki: Arc<FakePki>,
    tls: Arc<Tls>,
    _stop: watch::Sender<bool>,
    _uploads: tempfile::TempDir,
}

async fn site(bounds: Bounds) -> Site {
    let uploads = tempfile::tempdir().unwrap();
    let fake = Fake::default();
    let pki = fake.pki.clone();
    let (_, tls, stop) = fake.serve_tls(uploads.path().to_owned(), bounds).await;
    Site {
        endpoint: tls.endpoint.clone(),
        pki,
        tls,
        _stop: stop,
        _uploads: uploads,
    }
}

impl Site {
    fn client(&self, trust: &Trust) -> Client {
        Client::trusting(&self.endpoint, Some(TOKEN.to_owned()), PROJECT, trust).unwrap()
    }

    fn address(&self) -> String {
        self.endpoint.replace("https://localhost", "127.0.0.1")
    }

    fn trust(&self) -> Trust {
        Trust::Bundle(self.pki.trust().unwrap().bundle_pem)
    }
}

fn is_untrusted(answer: Result<impl std::fmt::Debug, ClientError>) -> bool {
    matches!(answer.unwrap_err(), ClientError::Untrusted { .. })
}

#[tokio::test]
async fn it_is_believed_by_its_authority_or_its_fingerprint_and_by_nothing_else() {
    let site = site(Bounds::default()).await;
    site.client(&site.trust()).whoami().await.unwrap();
    let known = site.client(&site.trust()).ca().await.unwrap();
    assert_eq!(known.endpoint.as_deref(), Some(site.endpoint.as_str()));
    let pinned = Trust::fingerprint(&known.fingerprints[0]).unwrap();
    site.client(&pinned).whoami().await.unwrap();

    let strangers = Trust::Bundle(FakePki::default().trust().unwrap().bundle_pem);
    assert!(is_untrusted(site.client(&strangers).whoami().await));
    assert!(is_untrusted(site.client(&Trust::System).whoami().await));
    let other = Trust::fingerprint(&format!("sha256:{}", "00".repeat(32))).unwrap();
    assert!(is_untrusted(site.client(&other).whoami().await));
    // Of the right authority, and called by a name that is not its own.
    let elsewhere = site.endpoint.replace("localhost", "127.0.0.2");
    let elsewhere = Client::trusting(&elsewhere, None, PROJECT, &site.trust());
    let answer = elsewhere.unwrap().version().await.unwrap_err();
    assert!(
        matches!(
            &answer,
            ClientError::Untrusted { .. } | ClientError::Unreachable { .. }
        ),
        "{answer:?}"
    );
}

#[tokio::test]
async fn without_tls_nothing_is_answered_but_that() {
    let site = site(Bounds::default()).await;
    let mut socket = TcpStream::connect(site.address()).await.unwrap();
    let request = format!("GET /v1/whoami HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = socket.read_to_string(&mut answer).await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(
        answer.contains("\"tls-required\"") && !answer.contains("roles"),
        "{answer}"
    );
    let plain = site.endpoint.replace("https://", "http://");
    let refused = Client::new(&plain, Some(TOKEN.to_owned()), PROJECT)
        .unwrap()
        .whoami()
        .await;
    match refused.unwrap_err() {
        ClientError::Problem(problem) => assert_eq!(problem.code, "tls-required"),
        other => panic!("{other:?}"),
    }
}

/// A connection that came as far as TLS.
async fn shaken(site: &Site, versions: &[&'static rustls::SupportedProtocolVersion]) -> std::io::Result<()> {
    let mut roots = RootCertStore::empty();
    let pem = site.pki.trust().unwrap().bundle_pem;
    for cert in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        roots.add(cert.unwrap()).unwrap();
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let socket = TcpStream::connect(site.address()).await?;
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let name = ServerName::try_from("localhost").unwrap();
    connector.connect(name, socket).await.map(drop)
}

#[tokio::test]
async fn tls_1_2_and_1_3_and_nothing_older() {
    let site = site(Bounds::default()).await;
    shaken(&site, &[&rustls::version::TLS12]).await.unwrap();
    shaken(&site, &[&rustls::version::TLS13]).await.unwrap();
    // A hello of TLS 1.1, by hand: rustls cannot be made to send one.
    let mut socket = TcpStream::connect(site.address()).await.unwrap();
    let mut body = vec![3, 2];
    body.extend([7; 32]);
    body.extend([0, 0, 2, 0xc0, 0x09, 1, 0]);
    // Signatures and groups that would do.
    body.extend([0, 16, 0, 13, 0, 4, 0, 2, 4, 3, 0, 10, 0, 4, 0, 2, 0, 23]);
    let length = u8::try_from(body.len()).unwrap();
    let mut hello = vec![22, 3, 1, 0, length + 4, 1, 0, 0, length];
    hello.extend(body);
    socket.write_all(&hello).await.unwrap();
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer).await;
    assert_eq!(answer.first(), Some(&21), "an alert and nothing else: {answer:?}");
    assert_eq!(answer.get(6), Some(&70), "about the version: {answer:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_is_exchanged_under_load_without_a_failed_request() {
    let site = Arc::new(site(Bounds::default()).await);
    let (trust, over) = (site.trust(), Arc::new(AtomicBool::new(false)));
    let asked = Arc::new(AtomicU32::new(0));
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let (site, trust, over, asked) = (site.clone(), trust.clone(), over.clone(), asked.clone());
            tokio::spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    site.client(&trust).whoami().await.expect("nobody notices");
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    // Renewed often, and once under a new root: who knows only the old one is led over.
    for round in 0..20 {
        let so_far = asked.load(Ordering::Relaxed);
        match round {
            10 => site.pki.replace_root(),
            _ => site.pki.renew(),
        }
        assert!(site.tls.serving.exchange(&site.pki.serving().unwrap()).unwrap());
        while asked.load(Ordering::Relaxed) < so_far + 4 {
            tokio::task::yield_now().await;
        }
    }
    over.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.await.unwrap();
    }
    let learnt = site.client(&trust).ca().await.unwrap().bundle;
    assert_ne!(Trust::Bundle(learnt.clone()), trust, "it is told of the new root");
    site.client(&Trust::Bundle(learnt)).whoami().await.unwrap();
}

#[tokio::test]
async fn who_says_nothing_does_not_keep_others_out() {
    let bounds = Bounds {
        connections: 2,
        handshake: Duration::from_millis(300),
        head: Duration::from_millis(300),
        ..Bounds::default()
    };
    let site = site(bounds).await;
    let mut silent = Vec::new();
    for _ in 0..4 {
        silent.push(TcpStream::connect(site.address()).await.unwrap());
    }
    let since = Instant::now();
    site.client(&site.trust()).whoami().await.unwrap();
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    // Those that came first were cut off.
    let mut nothing = [0u8; 1];
    assert!(matches!(silent[0].read(&mut nothing).await, Ok(0) | Err(_)));
}
