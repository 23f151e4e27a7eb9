//! A host that lost its volumes: clusters say so and wait, nothing empty is made in their place, and they go on when their
//! data is back or go away when they are deleted.

use std::{collections::BTreeMap, sync::Arc};

use app::default_project;

use crate::harness::{Host, Life, Script};
use ports::{Compute, Volumes, volumes::VolumeDesired};
use types::{
    Bytes, VolumeId,
    cluster::{Cluster, ClusterSpec, NodeGroup},
    operation::OperationState,
    status::{ClusterPhase, ConditionKind, Observed},
};
use workflow::NoProbe;

async fn cluster(life: &Life) -> Cluster {
    life.ops
        .get_cluster(&default_project(), "dev")
        .await
        .unwrap()
        .cluster
}

fn spec(workers: u32) -> ClusterSpec {
    ClusterSpec {
        vpc: "lab".to_owned(),
        node_groups: BTreeMap::from([("default".parse().unwrap(), NodeGroup::of_fixed_size(workers))]),
        ..ClusterSpec::default()
    }
}

async fn running(host: &Host) {
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    life.ops
        .create_cluster(&default_project(), "dev".parse().unwrap(), spec(1))
        .await
        .unwrap();
    life.settle().await.unwrap();
    assert_eq!(cluster(&life).await.status.phase, ClusterPhase::Running);
}

/// As on an empty host on which only the store was put back.
async fn lose(host: &Host) -> VolumeId {
    for machine in host.world.compute().scan().await.unwrap() {
        if let Ok(id) = machine.owner.parse() {
            host.world.compute().remove(&id).await.unwrap();
        }
    }
    let found = host.world.volumes().scan().await.unwrap();
    let volume: VolumeId = found[0].owner.parse().unwrap();
    host.world.volumes().remove(&volume).await.unwrap();
    volume
}

#[tokio::test]
async fn lost_is_told_and_nothing_is_made_in_its_place() {
    let host = Host::new();
    running(&host).await;
    let volume = lose(&host).await;
    let script = Arc::new(Script::default());
    let life = host.start(script.clone());
    host.clock.advance(60_000);
    life.settle().await.unwrap();

    let seen = cluster(&life).await.status;
    assert_eq!(seen.phase, ClusterPhase::Lost);
    let data = seen
        .conditions
        .iter()
        .find(|c| c.kind == ConditionKind::DataPresent)
        .unwrap();
    assert!(!data.holds);
    for word in [volume.as_str(), "put volumes/", "cloud k8s delete dev"] {
        assert!(data.message.contains(word), "{word}: {}", data.message);
    }
    assert!(script.seen.lock().unwrap().is_empty(), "no step was run");
    assert_eq!(host.world.volumes().observe(&volume).await, Observed::Absent);

    let (_, operation) = life
        .ops
        .apply_cluster(&default_project(), "dev".parse().unwrap(), spec(2))
        .await
        .unwrap();
    life.settle().await.unwrap();
    let operation = life
        .ops
        .get_operation(&default_project(), &operation.unwrap().id)
        .await
        .unwrap();
    assert_eq!(operation.state, OperationState::Failed);
    assert_eq!(operation.fault.unwrap().code, "cluster-lost");
    assert_eq!(cluster(&life).await.status.phase, ClusterPhase::Lost);
}

#[tokio::test]
async fn with_its_data_back_it_goes_on() {
    let host = Host::new();
    running(&host).await;
    let id = lose(&host).await;
    let life = host.start(Arc::new(NoProbe));
    host.clock.advance(60_000);
    life.settle().await.unwrap();
    assert_eq!(cluster(&life).await.status.phase, ClusterPhase::Lost);
    let size = Bytes::gib(1);
    host.world
        .volumes()
        .ensure(&VolumeDesired { id, size })
        .await
        .unwrap();
    host.clock.advance(60_000);
    life.settle().await.unwrap();
    assert_eq!(cluster(&life).await.status.phase, ClusterPhase::Running);
}

#[tokio::test]
async fn a_lost_cluster_can_be_deleted() {
    let host = Host::new();
    running(&host).await;
    lose(&host).await;
    let life = host.start(Arc::new(NoProbe));
    host.clock.advance(60_000);
    life.settle().await.unwrap();
    let operation = life.ops.delete_cluster(&default_project(), "dev").await.unwrap();
    life.settle().await.unwrap();
    let operation = life
        .ops
        .get_operation(&default_project(), &operation.id)
        .await
        .unwrap();
    assert_eq!(operation.state, OperationState::Succeeded, "{operation:#?}");
    assert!(life.ops.get_cluster(&default_project(), "dev").await.is_err());
}
