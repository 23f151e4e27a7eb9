//! Tunnels into a network, opened as `cloud ssh` opens them, to something that echoes on port 22.

use std::{
    io::{Read, Write},
    net::{SocketAddrV4, TcpListener},
    sync::Arc,
    time::Duration,
};

use iam::ticket::audience;
use ports::{
    Edge as _,
    edge::{EdgeInstance, tunnel_name},
};
use rustls::{ClientConfig, crypto::aws_lc_rs, pki_types::ServerName};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use types::{MachineId, tenant::Role};

use crate::{
    edge::{MACHINE, inside},
    known::{Known, USER, anchors, now},
};

const PATIENCE: Duration = Duration::from_secs(10);
/// Of one holder at once.
const MOST: usize = 16;

struct Scene {
    known: Known,
    instance: MachineId,
}

impl Scene {
    async fn start() -> Self {
        let mut known = Known::with(Role::ProjectAdmin).await;
        let instance = MachineId::generate();
        known.claims.aud = audience(&instance);
        let network = &mut known.edge.config.networks[0];
        network.instances.push(EdgeInstance {
            id: instance.clone(),
            cluster: known.cluster.clone(),
            address: MACHINE,
        });
        let listener = inside(&network.namespace, || {
            TcpListener::bind(SocketAddrV4::new(MACHINE, 22)).unwrap()
        });
        std::thread::spawn(move || echo(&listener));
        known.push().await;
        Self { known, instance }
    }

    fn ticket(&self) -> String {
        self.known.token()
    }

    /// The status, and the connection after it.
    async fn connect(&self, instance: &MachineId, ticket: &str) -> (String, TlsStream<TcpStream>) {
        let anchors = anchors(&self.known.pki.roots_pem());
        let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(anchors)
            .with_no_client_auth();
        let stream = TcpStream::connect(self.known.edge.config.endpoint).await.unwrap();
        let name = ServerName::try_from(tunnel_name(&self.known.edge.config.networks[0].id)).unwrap();
        let connector = TlsConnector::from(Arc::new(config));
        let mut stream = connector.connect(name, stream).await.unwrap();
        let request = format!(
            "CONNECT {instance}:22 HTTP/1.1\r\nHost: {instance}:22\r\nProxy-Authorization: Bearer {ticket}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        (head.split(' ').nth(1).unwrap().to_owned(), stream)
    }
}

/// Gives back what it gets, to any number at once.
fn echo(listener: &TcpListener) {
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || {
            let mut stream = stream;
            let mut bytes = [0u8; 4096];
            while let Ok(count @ 1..) = stream.read(&mut bytes) {
                if stream.write_all(&bytes[..count]).is_err() {
                    return;
                }
            }
        });
    }
}

async fn echoes(stream: &mut TlsStream<TcpStream>) -> bool {
    let mut back = [0u8; 5];
    let there_and_back = async {
        stream.write_all(b"hello").await?;
        stream.flush().await?;
        stream.read_exact(&mut back).await
    };
    timeout(PATIENCE, there_and_back)
        .await
        .is_ok_and(|done| done.is_ok())
        && &back == b"hello"
}

#[tokio::test]
async fn a_ticket_opens_a_tunnel_to_its_instance_and_to_nothing_else() {
    let scene = Scene::start().await;
    let (status, mut stream) = scene.connect(&scene.instance, &scene.ticket()).await;
    assert_eq!(status, "200");
    assert!(echoes(&mut stream).await);
    for (instance, ticket) in [
        (&MachineId::generate(), scene.ticket()),
        (&scene.instance, String::new()),
        (&scene.instance, scene.ticket() + "x"),
    ] {
        let (status, _) = scene.connect(instance, &ticket).await;
        assert_eq!(status, "403", "{instance}");
    }
}

#[tokio::test]
async fn one_holder_has_so_many_and_a_closed_one_makes_room() {
    let scene = Scene::start().await;
    let mut open = Vec::new();
    for n in 0..MOST {
        let (status, mut stream) = scene.connect(&scene.instance, &scene.ticket()).await;
        assert_eq!(status, "200", "{n}");
        assert!(echoes(&mut stream).await);
        open.push(stream);
    }
    assert_eq!(scene.connect(&scene.instance, &scene.ticket()).await.0, "429");
    open.pop();
    crate::edge::until("a place is free again", async || {
        scene.connect(&scene.instance, &scene.ticket()).await.0 == "200"
    })
    .await;
}

#[tokio::test]
async fn withdrawing_tokens_cuts_open_tunnels() {
    let mut scene = Scene::start().await;
    let (_, mut stream) = scene.connect(&scene.instance, &scene.ticket()).await;
    assert!(echoes(&mut stream).await);
    let identity = scene.known.edge.config.identity.as_mut().unwrap();
    identity
        .snapshot
        .not_before
        .insert(USER.to_owned(), now().plus(1));
    scene.known.edge.config.generation += 1;
    scene
        .known
        .edge
        .client
        .apply(&scene.known.edge.config)
        .await
        .unwrap();
    let mut rest = Vec::new();
    let ended = timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "it goes on");
    assert_eq!(scene.connect(&scene.instance, &scene.ticket()).await.0, "403");
}
