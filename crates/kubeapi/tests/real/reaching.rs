//! Who is believed, who is absent, and that no connection stays.

use std::{
    fs,
    time::{Duration, Instant},
};

use cluster::pki::LeafRequest;
use kubeapi::KubeApi;
use ports::cluster_api::{ApiTarget, ClusterApi};
use tokio::net::TcpListener;
use types::{FaultKind, Secret};

use crate::plane::{Plane, authority, issue};

const IDENTITY: &str = "cluster-api-identity";
const UNAVAILABLE: &str = "cluster-api-unavailable";

pub async fn identity_is_checked_both_ways(api: &KubeApi, plane: &Plane) {
    let stranger = authority();
    let wrong_ca = ApiTarget {
        ca_pem: stranger.cert_pem.clone(),
        ..plane.target()
    };
    let wrong_name = ApiTarget {
        server_name: "other.kubeapi.test".to_owned(),
        ..plane.target()
    };
    let address_as_name = ApiTarget {
        server_name: "127.0.0.1".to_owned(),
        ..plane.target()
    };
    for target in [wrong_ca, wrong_name, address_as_name] {
        let fault = api.ready(&target).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.code.as_ref()),
            (FaultKind::Refused, IDENTITY),
            "{fault}"
        );
        assert_eq!(api.nodes(&target).await.unwrap_err().code, IDENTITY);
        assert_eq!(api.delete_node(&target, "n").await.unwrap_err().code, IDENTITY);
    }

    let unknown = plane.target_as(&issue(
        &stranger,
        &LeafRequest::client("test", &["system:masters"]),
    ));
    let unprivileged = plane.target_for("nobody");
    for (target, says) in [
        (unknown, "(401)"),
        (unprivileged, "cannot list resource \"nodes\""),
    ] {
        let fault = api.nodes(&target).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.code.as_ref()),
            (FaultKind::Internal, "cluster-api-refused"),
            "{fault}"
        );
        assert!(fault.cause.contains(says), "{fault}");
    }

    let unusable = ApiTarget {
        client_key_pem: Secret::new("no key"),
        ..plane.target()
    };
    let fault = api.ready(&unusable).await.unwrap_err();
    assert_eq!(fault.code, "cluster-api-material", "{fault}");
}

pub async fn a_dead_server_is_absent(api: &KubeApi, target: &ApiTarget) {
    assert_eq!(api.ready(target).await, Ok(false));
    let fault = api.nodes(target).await.unwrap_err();
    assert_eq!(
        (fault.kind, fault.code.as_ref()),
        (FaultKind::Unavailable, UNAVAILABLE),
        "{fault}"
    );
    assert_eq!(api.delete_node(target, "n").await.unwrap_err().code, UNAVAILABLE);
}

pub async fn silence_and_hanging_up_are_absence(api: &KubeApi) {
    let ca = authority();
    let client = issue(&ca, &LeafRequest::client("test", &[]));
    let target = |endpoint| ApiTarget {
        endpoint,
        server_name: "silent.kubeapi.test".to_owned(),
        ca_pem: ca.cert_pem.clone(),
        client_cert_pem: client.cert_pem.clone(),
        client_key_pem: Secret::new(client.key_pem.clone()),
    };

    // The kernel connects, nobody speaks.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target_silent = target(silent.local_addr().unwrap());
    let begun = Instant::now();
    assert_eq!(api.ready(&target_silent).await, Ok(false));
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "ready took {:?}",
        begun.elapsed()
    );
    let begun = Instant::now();
    let fault = api.nodes(&target_silent).await.unwrap_err();
    assert_eq!(fault.code, UNAVAILABLE, "{fault}");
    assert!(
        begun.elapsed() < Duration::from_secs(6),
        "nodes took {:?}",
        begun.elapsed()
    );

    let rude = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target_rude = target(rude.local_addr().unwrap());
    let hang_up = tokio::spawn(async move {
        loop {
            drop(rude.accept().await);
        }
    });
    a_dead_server_is_absent(api, &target_rude).await;
    hang_up.abort();
}

/// Sockets of this very process that still lead to the server.
pub async fn nothing_stays_open(plane: &Plane) {
    let port = plane.target().endpoint.port();
    let begun = Instant::now();
    // The last connection is closed by its task, a moment after the call.
    while open_connections_to(port) > 0 {
        assert!(
            begun.elapsed() < Duration::from_secs(1),
            "connections to the server stay open"
        );
        tokio::task::yield_now().await;
    }
}

fn open_connections_to(port: u16) -> usize {
    let remote = format!(":{port:04X}");
    let table = fs::read_to_string("/proc/self/net/tcp").unwrap();
    let inodes: Vec<String> = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|fields| fields.len() > 9 && fields[2].ends_with(&remote))
        .map(|fields| format!("socket:[{}]", fields[9]))
        .collect();
    let ours = fs::read_dir("/proc/self/fd").unwrap();
    ours.filter_map(|fd| fs::read_link(fd.ok()?.path()).ok())
        .filter(|link| inodes.iter().any(|inode| link.as_os_str() == inode.as_str()))
        .count()
}
