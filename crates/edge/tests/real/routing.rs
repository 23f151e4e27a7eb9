//! Connections through the endpoint.

use std::time::Duration;

use ports::Edge as _;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::{
    backend::{Backend, echoes},
    edge::{Edge, until},
};

/// Two clusters, whose backends have the same address and port in two networks.
async fn two_clusters() -> (Edge, [Backend; 2]) {
    let mut edge = Edge::start().await;
    let backends = [("one.k8s.test", "one"), ("two.k8s.test", "two")];
    let started = [0, 1].map(|n| {
        let (name, label) = backends[n];
        edge.route(name, n, 6443);
        Backend::start(&edge.config.networks[n].namespace, 6443, name, label)
    });
    edge.client.apply(&edge.config).await.unwrap();
    (edge, started)
}

#[tokio::test]
async fn names_lead_to_equal_addresses_in_two_networks() {
    let (edge, [one, two]) = two_clusters().await;
    let endpoint = edge.config.endpoint;
    let (mut stream, label) = one.ask(endpoint, "one.k8s.test").await.unwrap();
    assert_eq!(label, "one");
    assert_eq!(two.ask(endpoint, "two.k8s.test").await.unwrap().1, "two");
    assert!(echoes(&mut stream, &"x".repeat(300_000)).await);
    // Half-close: the client says that it is done, and the other direction still carries a last word.
    stream.shutdown().await.unwrap();
    let mut last = String::new();
    timeout(Duration::from_secs(10), stream.read_to_string(&mut last))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(last, "bye");

    let metrics = edge.client.metrics().await.unwrap();
    let value = |name: &str| -> u64 {
        let line = metrics
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")))
            .unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert!(
        value("edge_connections_total") == 2 && value("edge_bytes_out_total") > 300_000,
        "{metrics}"
    );
}

#[tokio::test]
async fn who_asks_for_nobody_is_told_so_in_tls() {
    let (edge, [one, _two]) = two_clusters().await;
    let refused = one
        .ask(edge.config.endpoint, "nobody.k8s.test")
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("UnrecognisedName"), "{refused}");
    for garbage in [
        &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
        &[22, 3, 1, 0, 5, 1, 0, 0, 1, 0],
    ] {
        let mut stream = TcpStream::connect(edge.config.endpoint).await.unwrap();
        stream.write_all(garbage).await.unwrap();
        let mut answer = Vec::new();
        timeout(Duration::from_secs(5), stream.read_to_end(&mut answer))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(answer, [21, 3, 3, 0, 2, 2, 50]);
    }
    assert!(
        edge.client
            .metrics()
            .await
            .unwrap()
            .contains("edge_refused_total 3")
    );
}

#[tokio::test]
async fn a_backend_that_is_down_is_an_alert_and_others_go_on() {
    let (mut edge, [one, _two]) = two_clusters().await;
    edge.route("down.k8s.test", 0, 7777);
    edge.config.generation = 2;
    edge.client.apply(&edge.config).await.unwrap();
    let refused = one.ask(edge.config.endpoint, "down.k8s.test").await.unwrap_err();
    assert!(refused.to_string().contains("InternalError"), "{refused}");
    assert_eq!(
        one.ask(edge.config.endpoint, "ONE.k8s.test").await.unwrap().1,
        "one"
    );
}

#[tokio::test]
async fn connections_outlive_pushes_and_end_with_their_network() {
    let (mut edge, [one, two]) = two_clusters().await;
    let endpoint = edge.config.endpoint;
    let (mut first, _) = one.ask(endpoint, "one.k8s.test").await.unwrap();
    let (mut second, _) = two.ask(endpoint, "two.k8s.test").await.unwrap();
    for generation in 2..5 {
        edge.config.generation = generation;
        edge.config.routes.rotate_left(1);
        edge.config.networks.rotate_left(1);
        edge.client.apply(&edge.config).await.unwrap();
        assert!(echoes(&mut first, "still").await && echoes(&mut second, "here").await);
    }
    // Even the endpoint may move.
    edge.config.generation = 5;
    edge.config.endpoint.set_port(crate::edge::free_port());
    edge.client.apply(&edge.config).await.unwrap();
    assert!(echoes(&mut first, "still").await);
    assert_eq!(
        one.ask(edge.config.endpoint, "one.k8s.test").await.unwrap().1,
        "one"
    );
    assert!(TcpStream::connect(endpoint).await.is_err());

    let gone = edge
        .config
        .routes
        .iter()
        .position(|route| route.server_name == "two.k8s.test")
        .unwrap();
    let gone = edge.config.routes.remove(gone).network;
    let position = edge
        .config
        .networks
        .iter()
        .position(|network| network.id == gone)
        .unwrap();
    let network = edge.config.networks.remove(position);
    edge.config.generation = 6;
    edge.client.apply(&edge.config).await.unwrap();
    let mut rest = [0; 1];
    let ended = timeout(Duration::from_secs(5), second.read(&mut rest))
        .await
        .unwrap();
    assert!(!matches!(ended, Ok(count) if count > 0));
    assert!(echoes(&mut first, "still").await);
    crate::edge::remove_namespace(&network.namespace);
    until("no namespace pinned", async || {
        edge.client.report().await.unwrap().networks.len() == 1
    })
    .await;
}
