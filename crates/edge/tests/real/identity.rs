//! TokenReview inside a network, asked as an apiserver asks.

use std::{
    net::{IpAddr, SocketAddrV4},
    path::Path,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, StatusCode, client::conn::http1, header::HOST};
use hyper_util::rt::TokioIo;
use iam::{
    keys::{KeySet, SigningKey},
    pki::{Issued, PlatformPki},
    review::{AUDIENCE, Reach, Snapshot},
    token::{Claims, mint},
};
use ports::{
    Edge as _,
    edge::{EdgeIdentity, IDENTITY_NAME, IDENTITY_PORT, Serving},
};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use serde_json::{Value, json};
use tokio_rustls::TlsConnector;
use types::{ClusterId, OrgId, ProjectId, Timestamp, TokenId, tenant::Role};

use crate::edge::{Edge, PLATFORM, inside};

const PATH: &str = "/apis/iam.plasmacloud.io/v1/authenticate";
const USER: &str = "user-0123456789abcdef";

/// An edge that serves identities in its first network, and a cluster there with its certificate.
struct Scene {
    edge: Edge,
    pki: PlatformPki,
    key: SigningKey,
    cluster: ClusterId,
    client: Issued,
    claims: Claims,
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp(i64::try_from(since.as_secs()).unwrap())
}

impl Scene {
    async fn start() -> Self {
        let mut edge = Edge::start().await;
        let pki = PlatformPki::new(now()).unwrap();
        let key = SigningKey::generate().unwrap();
        let (cluster, org, project) = (ClusterId::generate(), OrgId::generate(), ProjectId::generate());
        let claims = Claims {
            iss: "https://cloud.test".to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: USER.to_owned(),
            email: "ana@acme.example".to_owned(),
            org_id: Some(org.clone()),
            project_id: Some(project.clone()),
            roles: vec![Role::ProjectViewer],
            iat: now(),
            exp: now().plus(600),
            jti: TokenId::generate(),
        };
        let reach = Reach {
            network: edge.config.networks[0].id.clone(),
            org,
            projects: [project].into(),
            grants: Default::default(),
        };
        edge.config.identity = Some(EdgeIdentity {
            snapshot: Snapshot {
                generation: 1,
                issuer: claims.iss.clone(),
                keys: KeySet(vec![key.public()]),
                principals: [USER.to_owned()].into(),
                clusters: [(cluster.clone(), reach)].into(),
                ..Snapshot::default()
            },
            authorities: pki.services_pem(),
            revocations: pki.crl().to_vec(),
        });
        for network in &mut edge.config.networks {
            let issued = pki
                .issue_server(&[IDENTITY_NAME], &[IpAddr::V4(PLATFORM)], now())
                .unwrap();
            network.serving = Some(Serving {
                chain_pem: issued.chain_pem,
                key_pem: Some(issued.key_pem),
            });
        }
        let client = pki.issue_client(&cluster, now()).unwrap();
        let scene = Self {
            edge,
            pki,
            key,
            cluster,
            client,
            claims,
        };
        scene.push().await;
        scene
    }

    async fn push(&self) {
        let status = self.edge.client.apply(&self.edge.config).await.unwrap();
        assert!(!status.lacks_keys);
    }

    fn token(&self) -> String {
        mint(&self.key, &self.claims)
            .unwrap()
            .expose_str()
            .unwrap()
            .to_owned()
    }

    async fn apiserver(&self, network: usize, shown: Option<&Issued>) -> Option<Apiserver> {
        let namespace = &self.edge.config.networks[network].namespace;
        Apiserver::connect(namespace, &self.pki.roots_pem(), shown).await
    }

    async fn ours(&self) -> Apiserver {
        self.apiserver(0, Some(&self.client)).await.expect("it is let in")
    }
}

/// One kept connection.
struct Apiserver(http1::SendRequest<Full<Bytes>>);

fn certs(pem: &str) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem.as_bytes())
        .collect::<Result<_, _>>()
        .unwrap()
}

impl Apiserver {
    /// Nothing when TLS fails. With TLS 1.3 a refused certificate shows only when something is asked.
    async fn connect(namespace: &Path, roots: &str, shown: Option<&Issued>) -> Option<Self> {
        let mut anchors = RootCertStore::empty();
        for cert in certs(roots) {
            anchors.add(cert).unwrap();
        }
        let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(anchors);
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
    let token = scene.token();
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
    let disk = std::fs::read_to_string(scene.edge.dir.path().join("state/edge.json")).unwrap();
    assert!(disk.contains("BEGIN CERTIFICATE") && !disk.contains("PRIVATE KEY"));
    let kept = edge::keys_file(&scene.edge.dir.path().join("state")).expect("this host has a tmpfs");
    assert!(std::fs::read_to_string(&kept).unwrap().contains("PRIVATE KEY"));
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&kept).unwrap());
    assert_eq!(mode & 0o777, 0o600);

    scene.edge.kill_and_restart().await;
    assert_eq!(
        scene.ours().await.is_told_who(&token).await,
        Some(true),
        "also by its next life"
    );
    assert!(!scene.edge.client.status().await.unwrap().lacks_keys);

    // As after a restart of the host.
    scene.edge.kill();
    std::fs::remove_file(&kept).unwrap();
    scene.edge.restart().await;
    assert!(
        scene.edge.client.status().await.unwrap().lacks_keys,
        "and it says so"
    );
    assert!(scene.apiserver(0, Some(&scene.client)).await.is_none());
    scene.push().await;
    assert_eq!(scene.ours().await.is_told_who(&token).await, Some(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_not_a_cluster_of_this_network_learns_nothing() {
    let scene = Scene::start().await;
    let token = scene.token();
    let elsewhere = PlatformPki::new(now()).unwrap();
    for (what, shown) in [
        ("no certificate", None),
        (
            "a stranger's",
            Some(elsewhere.issue_client(&scene.cluster, now()).unwrap()),
        ),
        (
            "a server's",
            Some(scene.pki.issue_server(&["mine"], &[], now()).unwrap()),
        ),
    ] {
        let told = match scene.apiserver(0, shown.as_ref()).await {
            Some(mut apiserver) => apiserver.review(&token).await,
            None => None,
        };
        assert_eq!(told, None, "{what}");
    }
    let stranger = scene.pki.issue_client(&ClusterId::generate(), now()).unwrap();
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
    let token = scene.token();
    let mut apiserver = scene.ours().await;
    assert_eq!(apiserver.is_told_who(&token).await, Some(true));

    let identity = scene.edge.config.identity.as_mut().unwrap();
    identity
        .snapshot
        .revoked
        .insert(scene.claims.jti.clone(), scene.claims.exp);
    identity.snapshot.generation = 2;
    scene.edge.config.generation = 2;
    scene.push().await;
    assert_eq!(apiserver.is_told_who(&token).await, Some(false), "the token");
    assert_eq!(
        scene
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
    scene.client = scene.pki.issue_client(&scene.cluster, now()).unwrap();
    scene.pki.revoke(&before.serial, now()).unwrap();
    let identity = scene.edge.config.identity.as_mut().unwrap();
    identity.snapshot.revoked.clear();
    identity.revocations = scene.pki.crl().to_vec();
    scene.edge.config.generation = 3;
    scene.push().await;
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
        let mut config = scene.edge.config.clone();
        config.generation = 9;
        config.identity.as_mut().unwrap().authorities = "nothing".to_owned();
        config
    };
    let fault = scene.edge.client.apply(&broken).await.unwrap_err();
    assert_eq!(fault.code, "edge-certificates-invalid");
    assert_eq!(
        scene.edge.client.status().await.unwrap().generation,
        1,
        "and nothing changed"
    );
}
