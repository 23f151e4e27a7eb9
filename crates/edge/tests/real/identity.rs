//! TokenReview inside a network, asked as an apiserver asks.

use std::{net::SocketAddrV4, path::Path, sync::Arc};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, StatusCode, client::conn::http1, header::HOST};
use hyper_util::rt::TokioIo;
use iam::pki::{Issued, PlatformPki};
use ports::{
    Edge as _,
    edge::{IDENTITY_NAME, IDENTITY_PORT},
};
use rustls::{
    ClientConfig,
    crypto::aws_lc_rs,
    pki_types::{PrivateKeyDer, ServerName, pem::PemObject},
};
use serde_json::{Value, json};
use tokio_rustls::TlsConnector;
use types::{ClusterId, tenant::Role};

use crate::{
    edge::{PLATFORM, inside},
    known::{Known, USER, anchors, certs, now},
};

const PATH: &str = "/apis/iam.plasmacloud.io/v1/authenticate";
/// A cluster with its certificate asks.
struct Scene {
    known: Known,
    client: Issued,
}

impl Scene {
    async fn start() -> Self {
        let known = Known::with(Role::ProjectViewer).await;
        let client = known.pki.issue_client(&known.cluster, now()).unwrap();
        known.push().await;
        Self { known, client }
    }

    async fn apiserver(&self, network: usize, shown: Option<&Issued>) -> Option<Apiserver> {
        let namespace = &self.known.edge.config.networks[network].namespace;
        Apiserver::connect(namespace, &self.known.pki.roots_pem(), shown).await
    }

    async fn ours(&self) -> Apiserver {
        self.apiserver(0, Some(&self.client)).await.expect("it is let in")
    }
}

/// One kept connection.
struct Apiserver(http1::SendRequest<Full<Bytes>>);

impl Apiserver {
    /// Nothing when TLS fails. With TLS 1.3 a refused certificate shows only when something is asked.
    async fn connect(namespace: &Path, roots: &str, shown: Option<&Issued>) -> Option<Self> {
        let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(anchors(roots));
        let config = match shown {
            Some(shown) => {
                let key = PrivateKeyDer::from_pem_slice(shown.key_pem.expose()).unwrap();
                config
                    .with_client_auth_cert(certs(&shown.chain_pem), key)
                    .unwrap()
            }
            None => config.with_no_client_auth(),
        };
        let stream = inside(namespace, || {
            std::net::TcpStream::connect(SocketAddrV4::new(PLATFORM, IDENTITY_PORT))
        })
        .ok()?;
        stream.set_nonblocking(true).unwrap();
        let stream = tokio::net::TcpStream::from_std(stream).unwrap();
        let name = ServerName::try_from(IDENTITY_NAME).unwrap();
        let stream = TlsConnector::from(Arc::new(config))
            .connect(name, stream)
            .await
            .ok()?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        Some(Self(sender))
    }

    async fn post(&mut self, path: &str, body: impl Into<Bytes>) -> Option<(StatusCode, Bytes)> {
        let request = Request::post(path)
            .header(HOST, IDENTITY_NAME)
            .body(Full::new(body.into()))
            .unwrap();
        // The connection's own task may not have seen the end of the answer before.
        self.0.ready().await.ok()?;
        let answer = self.0.send_request(request).await.ok()?;
        let status = answer.status();
        Some((status, answer.into_body().collect().await.ok()?.to_bytes()))
    }

    async fn review(&mut self, token: &str) -> Option<Value> {
        let question = json!({
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenReview",
            "metadata": {"creationTimestamp": null},
            "spec": {"token": token, "audiences": ["https://kubernetes.default.svc.cluster.local"]},
            "status": {"user": {}},
        });
        let (status, body) = self.post(PATH, question.to_string()).await?;
        (status == StatusCode::OK).then(|| serde_json::from_slice(&body).unwrap())
    }

    async fn is_told_who(&mut self, token: &str) -> Option<bool> {
        Some(self.review(token).await?["status"]["authenticated"] == json!(true))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_is_told_who_holds_a_token_and_goes_on_being_told() {
    let mut scene = Scene::start().await;
    let token = scene.known.token();
    let mut apiserver = scene.ours().await;
    let answer = apiserver.review(&token).await.unwrap();
    assert_eq!(answer["apiVersion"], "authentication.k8s.io/v1");
    assert_eq!(answer["kind"], "TokenReview");
    assert_eq!(answer["status"]["user"]["username"], "ana@acme.example");
    assert_eq!(answer["status"]["user"]["uid"], USER);
    assert_eq!(
        apiserver.review("a.b.c").await.unwrap()["status"],
        json!({"authenticated": false, "error": "Invalid or expired token"})
    );
    assert_eq!(
        apiserver.is_told_who(&token).await,
        Some(true),
        "the connection is kept"
    );
    let disk = std::fs::read_to_string(scene.known.edge.dir.path().join("state/edge.json")).unwrap();
    assert!(disk.contains("BEGIN CERTIFICATE") && !disk.contains("PRIVATE KEY"));
    let kept = edge::keys_file(&scene.known.edge.dir.path().join("state")).expect("this host has a tmpfs");
    assert!(std::fs::read_to_string(&kept).unwrap().contains("PRIVATE KEY"));
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&kept).unwrap());
    assert_eq!(mode & 0o777, 0o600);

    scene.known.edge.kill_and_restart().await;
    assert_eq!(
        scene.ours().await.is_told_who(&token).await,
        Some(true),
        "also by its next life"
    );
    assert!(!scene.known.edge.client.status().await.unwrap().lacks_keys);

    // As after a restart of the host.
    scene.known.edge.kill();
    std::fs::remove_file(&kept).unwrap();
    scene.known.edge.restart().await;
    assert!(
        scene.known.edge.client.status().await.unwrap().lacks_keys,
        "and it says so"
    );
    assert!(scene.apiserver(0, Some(&scene.client)).await.is_none());
    scene.known.push().await;
    assert_eq!(scene.ours().await.is_told_who(&token).await, Some(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_not_a_cluster_of_this_network_learns_nothing() {
    let scene = Scene::start().await;
    let token = scene.known.token();
    let elsewhere = PlatformPki::new(now()).unwrap();
    for (what, shown) in [
        ("no certificate", None),
        (
            "a stranger's",
            Some(elsewhere.issue_client(&scene.known.cluster, now()).unwrap()),
        ),
        (
            "a server's",
            Some(scene.known.pki.issue_server(&["mine"], &[], now()).unwrap()),
        ),
    ] {
        let told = match scene.apiserver(0, shown.as_ref()).await {
            Some(mut apiserver) => apiserver.review(&token).await,
            None => None,
        };
        assert_eq!(told, None, "{what}");
    }
    let stranger = scene
        .known
        .pki
        .issue_client(&ClusterId::generate(), now())
        .unwrap();
    let mut stranger = scene.apiserver(0, Some(&stranger)).await.unwrap();
    assert_eq!(
        stranger.is_told_who(&token).await,
        Some(false),
        "a cluster that is not there"
    );
    let mut moved = scene.apiserver(1, Some(&scene.client)).await.unwrap();
    assert_eq!(
        moved.is_told_who(&token).await,
        Some(false),
        "our cluster in another network"
    );
    assert_eq!(scene.ours().await.is_told_who(&token).await, Some(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_revoked_is_refused_on_open_connections_too() {
    let mut scene = Scene::start().await;
    let token = scene.known.token();
    let mut apiserver = scene.ours().await;
    assert_eq!(apiserver.is_told_who(&token).await, Some(true));

    let identity = scene.known.edge.config.identity.as_mut().unwrap();
    identity
        .snapshot
        .revoked
        .insert(scene.known.claims.jti.clone(), scene.known.claims.exp);
    identity.snapshot.generation = 2;
    scene.known.edge.config.generation = 2;
    scene.known.push().await;
    assert_eq!(apiserver.is_told_who(&token).await, Some(false), "the token");
    assert_eq!(
        scene
            .known
            .edge
            .client
            .metrics()
            .await
            .unwrap()
            .lines()
            .find(|line| line.contains("token-revoked")),
        Some(r#"edge_reviews_refused_total{code="token-revoked"} 1"#)
    );

    let before = scene.client.clone();
    scene.client = scene.known.pki.issue_client(&scene.known.cluster, now()).unwrap();
    scene.known.pki.revoke(&before.serial, now()).unwrap();
    let identity = scene.known.edge.config.identity.as_mut().unwrap();
    identity.snapshot.revoked.clear();
    identity.revocations = scene.known.pki.crl().to_vec();
    scene.known.edge.config.generation = 3;
    scene.known.push().await;
    assert_eq!(apiserver.is_told_who(&token).await, None, "the certificate");
    let refused = match scene.apiserver(0, Some(&before)).await {
        Some(mut apiserver) => apiserver.review(&token).await,
        None => None,
    };
    assert_eq!(refused, None);
    assert_eq!(
        scene.ours().await.is_told_who(&token).await,
        Some(true),
        "its successor"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_question_is_told_so() {
    let scene = Scene::start().await;
    for (path, body, expected) in [
        (PATH, "{}".to_owned(), StatusCode::BAD_REQUEST),
        (PATH, "x".repeat(64 * 1024), StatusCode::PAYLOAD_TOO_LARGE),
        ("/", String::new(), StatusCode::NOT_FOUND),
    ] {
        let (status, _) = scene.ours().await.post(path, body).await.expect("an answer");
        assert_eq!(status, expected, "{path}");
    }
    let broken = {
        let mut config = scene.known.edge.config.clone();
        config.generation = 9;
        config.identity.as_mut().unwrap().authorities = "nothing".to_owned();
        config
    };
    let fault = scene.known.edge.client.apply(&broken).await.unwrap_err();
    assert_eq!(fault.code, "edge-certificates-invalid");
    assert_eq!(
        scene.known.edge.client.status().await.unwrap().generation,
        1,
        "and nothing changed"
    );
}
