//! Configurations: torn ones, with a port in use, with a namespace that is not there.

use std::os::unix::fs::PermissionsExt;

use ports::Edge as _;

use crate::{
    backend::Backend,
    edge::{Edge, make_namespace, remove_namespace, until},
};

#[tokio::test]
async fn the_socket_is_for_its_owner_alone() {
    let edge = Edge::start().await;
    let socket = std::fs::metadata(edge.dir.path().join("edge.sock")).unwrap();
    assert_eq!(socket.permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn a_torn_configuration_is_put_aside_and_the_next_push_serves() {
    let mut edge = Edge::start().await;
    let backend = Backend::start(&edge.config.networks[1].namespace, 6443, "one.k8s.test", "one");
    edge.route("one.k8s.test", 1, 6443);
    edge.client.apply(&edge.config).await.unwrap();
    edge.kill();
    std::fs::write(edge.dir.path().join("state/edge.json"), "{\"generation\":").unwrap();
    edge.restart().await;
    assert_eq!(edge.client.status().await.unwrap().generation, 0);
    edge.client.apply(&edge.config).await.unwrap();
    edge.client.healthy().await.unwrap();
    assert_eq!(
        backend.ask(edge.config.endpoint, "one.k8s.test").await.unwrap().1,
        "one"
    );
}

#[tokio::test]
async fn a_port_in_use_is_named_with_its_holder_and_changes_nothing() {
    let mut edge = Edge::start().await;
    edge.client.apply(&edge.config).await.unwrap();
    let before = edge.config.endpoint;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    edge.config.generation = 2;
    edge.config.endpoint = taken.local_addr().unwrap();
    let fault = edge.client.apply(&edge.config).await.unwrap_err();
    assert_eq!(fault.code, "edge-port-in-use");
    assert!(
        fault.cause.contains(&format!("pid {}", std::process::id())),
        "{fault}"
    );
    assert_eq!(edge.client.status().await.unwrap().generation, 1);
    assert!(tokio::net::TcpStream::connect(before).await.is_ok());
    drop(taken);
    edge.client.apply(&edge.config).await.unwrap();

    // After a start nobody is told, so the port is tried until it is free.
    edge.kill();
    let taken = std::net::TcpListener::bind(edge.config.endpoint).unwrap();
    edge.restart().await;
    let fault = edge.client.healthy().await.unwrap_err();
    assert!(fault.cause.contains("in use"), "{fault}");
    drop(taken);
    until("the endpoint", async || edge.client.healthy().await.is_ok()).await;
}

#[tokio::test]
async fn a_namespace_that_is_not_there_is_waited_for_and_others_are_served() {
    let edge = Edge::start().await;
    let missing = &edge.config.networks[0];
    remove_namespace(&missing.namespace);
    edge.client.apply(&edge.config).await.unwrap();
    let waiting = async |id: &types::NetworkId| {
        let report = edge.client.report().await.unwrap();
        report
            .networks
            .into_iter()
            .find(|network| network.id == *id)
            .unwrap()
            .waiting_for
    };
    assert!(
        waiting(&missing.id)
            .await
            .unwrap()
            .contains(missing.namespace.to_str().unwrap())
    );
    assert_eq!(waiting(&edge.config.networks[1].id).await, None);
    make_namespace(&missing.namespace);
    until("the listener", async || waiting(&missing.id).await.is_none()).await;

    // Made anew under the same name: the listener moves along.
    remove_namespace(&missing.namespace);
    until("the loss to be noticed", async || {
        waiting(&missing.id).await.is_some()
    })
    .await;
    make_namespace(&missing.namespace);
    until("the listener again", async || {
        waiting(&missing.id).await.is_none()
    })
    .await;
}

#[tokio::test]
async fn a_second_edge_on_the_same_state_is_refused() {
    let edge = Edge::start().await;
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_cloud-edge"))
        .arg("--state")
        .arg(edge.dir.path().join("state"))
        .arg("--socket")
        .arg(edge.dir.path().join("other.sock"))
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("edge-already-running"),
        "{output:?}"
    );
    edge.client.report().await.unwrap();
}
