//! Authorities that follow one another while clusters run, and a platform that is killed all the while.

use std::sync::Arc;

use app::{
    default_project,
    identity::{CertificateState, Level, Stage},
};
use iam::pki::Facts;
use ports::{ClusterApi, Edge};
use types::{cluster::Cluster, machine::Machine};
use workflow::NoProbe;

use crate::{
    harness::{Host, Life},
    scene::{file, found, publish, started},
};

const MINUTE_MS: u64 = 60_000;

fn roots_of(host: &Host, plane: &Machine) -> Vec<Facts> {
    Facts::all(&file(host, &plane.id, "/etc/k8shost/ca.crt")).unwrap()
}

fn trusted(host: &Host) -> Vec<Facts> {
    let identity = host.world.edge().config().unwrap().identity.unwrap();
    Facts::all(&identity.authorities).unwrap()
}

/// Somebody's token is asked about: whether the cluster and the edge believe one another.
async fn is_answered(host: &Host, cluster: &Cluster) -> bool {
    let edge = host.world.edge();
    let questions = async || {
        let visits = edge.visits().await.unwrap();
        visits.get(&cluster.id).map_or(0, |visits| visits.questions)
    };
    let before = questions().await;
    let target = ports::cluster_api::ApiTarget {
        endpoint: ([127, 0, 0, 1], 6443).into(),
        server_name: cluster.server_name.clone(),
        ca_pem: String::new(),
        client_cert_pem: String::new(),
        client_key_pem: types::Secret::new(""),
    };
    let token = types::Secret::new("whoever");
    host.world.cluster_api().knows(&target, &token).await.unwrap();
    questions().await > before
}

/// Lives that each end after one look, until the rotation is over. Nobody is refused at any time.
async fn lived_through(host: &Host, mut life: Life, cluster: &Cluster) -> (Life, Vec<Stage>) {
    let mut stages = Vec::new();
    for _ in 0..200 {
        let rotation = life.ops.certificates().await.unwrap().rotation;
        let Some(rotation) = rotation else {
            return (life, stages);
        };
        if stages.last() != Some(&rotation.stage) {
            stages.push(rotation.stage);
        }
        publish(&life).await;
        assert!(is_answered(host, cluster).await, "{rotation:?}");
        life = host.start(Arc::new(NoProbe));
        life.outlive_leases();
        life.settle().await.unwrap();
        assert!(is_answered(host, cluster).await, "{rotation:?}");
        life.advance(MINUTE_MS / 2);
    }
    panic!("{:?}", life.ops.certificates().await.unwrap().rotation);
}

#[tokio::test]
async fn a_root_is_replaced_through_many_lives_and_nobody_is_refused() {
    let host = Host::new();
    let life = started(&host, &["dev"]).await;
    let (cluster, plane) = found(&host, &life, "dev").await;
    let (old_root, old_services) = (roots_of(&host, &plane), trusted(&host));
    let begun = life.ops.rotate_certificates(Level::Root, false).await.unwrap();
    assert_eq!((begun.level, begun.stage), (Level::Root, Stage::Trust));
    let again = life.ops.rotate_certificates(Level::Root, false).await.unwrap();
    assert_eq!(again.began, begun.began, "the same one");
    let states = |all: &app::identity::Certificates| {
        let roots = all.certificates.iter().filter(|c| c.what == "platform-root");
        roots.map(|c| c.state).collect::<Vec<_>>()
    };
    let all = life.ops.certificates().await.unwrap();
    assert_eq!(states(&all), [CertificateState::Next, CertificateState::Ok]);

    let (life, stages) = lived_through(&host, life, &cluster).await;
    assert_eq!(stages, [Stage::Trust, Stage::Replace, Stage::Retire]);
    let (root, services) = (roots_of(&host, &plane), trusted(&host));
    assert_eq!(
        (root.len(), services.len()),
        (1, 1),
        "of the old ones nothing is left"
    );
    assert!(root != old_root && services != old_services);
    let all = life.ops.certificates().await.unwrap();
    assert_eq!(states(&all), [CertificateState::Ok]);
    for leaf in all.certificates.iter().filter(|c| c.what.starts_with("webhook-")) {
        let issuer = &leaf.facts.as_ref().unwrap().issuer;
        assert_eq!(*issuer, services[0].subject, "{leaf:?}");
    }
    let refused = life.ops.rotate_certificates(Level::Root, true).await.unwrap_err();
    assert_eq!(refused.code, "rotation-not-running");
}

#[tokio::test]
async fn the_authority_of_services_is_replaced_under_the_same_root() {
    let host = Host::new();
    let life = started(&host, &["dev"]).await;
    let (cluster, plane) = found(&host, &life, "dev").await;
    let (root, services) = (roots_of(&host, &plane), trusted(&host));
    life.ops
        .rotate_certificates(Level::Services, false)
        .await
        .unwrap();
    let refused = life
        .ops
        .rotate_certificates(Level::Root, false)
        .await
        .unwrap_err();
    assert_eq!(refused.code, "rotation-running");
    let (_, stages) = lived_through(&host, life, &cluster).await;
    assert_eq!(stages, [Stage::Trust, Stage::Replace, Stage::Retire]);
    assert_eq!(roots_of(&host, &plane), root);
    assert_eq!(trusted(&host).len(), 1);
    assert_ne!(trusted(&host), services);
}

#[tokio::test]
async fn who_does_not_answer_is_waited_for_and_who_does_not_run_is_not() {
    let host = Host::new();
    let life = started(&host, &["dev", "idle"]).await;
    let (cluster, _) = found(&host, &life, "dev").await;
    let (_, idle) = found(&host, &life, "idle").await;
    // A control plane that is gone: it is laid its files before it starts again.
    host.world.kill(&idle.id);
    life.ops
        .rotate_certificates(Level::Services, false)
        .await
        .unwrap();
    publish(&life).await;
    // Nobody renews what the cluster shows, because nobody works.
    for _ in 0..5 {
        publish(&life).await;
        life.advance(10 * MINUTE_MS);
    }
    let rotation = life.ops.certificates().await.unwrap().rotation.unwrap();
    assert_eq!(rotation.stage, Stage::Replace);
    let [waits] = rotation.waiting_for.as_slice() else {
        panic!("{:?}", rotation.waiting_for);
    };
    assert!(waits.contains("cluster dev"), "{waits}");
    assert!(is_answered(&host, &cluster).await, "the old one is good as long");
    life.ops.rotate_certificates(Level::Services, true).await.unwrap();
    publish(&life).await;
    // The edge learns it with the next.
    publish(&life).await;
    assert_eq!(life.ops.certificates().await.unwrap().rotation, None);
    assert!(!is_answered(&host, &cluster).await, "this is what forcing means");
    life.settle().await.unwrap();
    publish(&life).await;
    assert!(is_answered(&host, &cluster).await, "until it has its new one");
    assert_eq!(life.ops.certificates().await.unwrap().rotation, None);
}

#[tokio::test]
async fn every_certificate_is_told_of_and_no_key() {
    let host = Host::new();
    let life = started(&host, &["dev"]).await;
    let all = life.ops.certificates().await.unwrap().certificates;
    let what: Vec<&str> = all.iter().map(|c| c.what).collect();
    for expected in [
        "platform-root",
        "services-authority",
        "webhook-serving",
        "webhook-client",
        "cluster-ca",
        "front-proxy-ca",
        "etcd-ca",
        "apiserver",
        "etcd-server",
        "platform-client",
        "controllers",
        "kubelet",
        "kubelet-serving",
        "kube-proxy",
    ] {
        assert!(what.contains(&expected), "{expected}: {what:?}");
    }
    assert!(all.iter().all(|c| c.state == CertificateState::Ok));
    assert!(!format!("{all:?}").contains("PRIVATE"));
    let ours = all.iter().find(|c| c.what == "webhook-client").unwrap();
    assert_eq!(
        (ours.of.as_deref(), ours.project.as_deref()),
        (Some("dev"), Some("default"))
    );
    life.ops.delete_cluster(&default_project(), "dev").await.unwrap();
    life.settle().await.unwrap();
    let left = life.ops.certificates().await.unwrap().certificates;
    let revoked: Vec<_> = left
        .iter()
        .filter(|c| c.state == CertificateState::Revoked)
        .collect();
    assert_eq!(revoked.len(), 1);
    assert_eq!(revoked[0].serial, ours.serial);
}
