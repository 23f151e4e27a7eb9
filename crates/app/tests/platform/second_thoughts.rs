//! A creation can be cancelled where it is, taken up again, or deleted.

use app::default_project;
use std::{collections::BTreeMap, sync::Arc};

use crate::harness::{Host, Life, Script};
use types::{
    OperationId,
    cluster::{ClusterSpec, NodeGroup},
    operation::OperationState,
    status::ClusterPhase,
};
use workflow::{NoProbe, WorkflowError};

pub fn spec() -> ClusterSpec {
    ClusterSpec {
        vpc: "lab".to_owned(),
        node_groups: BTreeMap::from([("default".parse().unwrap(), NodeGroup::of_fixed_size(1))]),
        ..ClusterSpec::default()
    }
}

/// A creation that was interrupted after its network was made, and cancelled then.
async fn cancelled(host: &Host) -> (Life, OperationId) {
    let script = Arc::new(Script::default());
    let life = host.start(script.clone());
    life.lab().await;
    *script.die_at.lock().unwrap() = Some(("api".to_owned(), "before-effect"));
    let created = life
        .ops
        .create_cluster(&default_project(), "dev".parse().unwrap(), spec())
        .await;
    let operation = created.unwrap().1.id;
    assert!(matches!(life.settle().await, Err(WorkflowError::Killed)));
    let life = host.start(Arc::new(NoProbe));
    life.outlive_leases();
    life.ops
        .cancel_operation(&default_project(), &operation)
        .await
        .unwrap();
    life.settle().await.unwrap();
    (life, operation)
}

async fn phase(life: &Life) -> ClusterPhase {
    life.ops
        .get_cluster(&default_project(), "dev")
        .await
        .unwrap()
        .cluster
        .status
        .phase
}

#[tokio::test]
async fn a_cancelled_creation_is_held_and_can_be_taken_up_again() {
    let host = Host::new();
    let (life, operation) = cancelled(&host).await;
    let state = life
        .ops
        .get_operation(&default_project(), &operation)
        .await
        .unwrap()
        .state;
    assert_eq!(
        (state, phase(&life).await),
        (OperationState::Cancelled, ClusterPhase::Failed)
    );
    // Twice is once; and it stays held however long it is left.
    life.ops
        .cancel_operation(&default_project(), &operation)
        .await
        .unwrap();
    host.clock.advance(3_600_000);
    life.settle().await.unwrap();
    assert_eq!(phase(&life).await, ClusterPhase::Failed);

    let again = life.ops.retry_cluster(&default_project(), "dev").await.unwrap();
    assert_eq!(phase(&life).await, ClusterPhase::Provisioning);
    life.settle().await.unwrap();
    assert_eq!(phase(&life).await, ClusterPhase::Running);
    let again = life
        .ops
        .get_operation(&default_project(), &again.id)
        .await
        .unwrap();
    assert_eq!(again.state, OperationState::Succeeded);
    for fault in [
        life.ops
            .retry_cluster(&default_project(), "dev")
            .await
            .unwrap_err(),
        life.ops
            .cancel_operation(&default_project(), &again.id)
            .await
            .unwrap_err(),
    ] {
        assert!(
            ["nothing-to-retry", "operation-over"].contains(&&*fault.code),
            "{fault}"
        );
    }
}

#[tokio::test]
async fn applying_the_same_description_takes_a_cancelled_creation_up() {
    let host = Host::new();
    let (life, _) = cancelled(&host).await;
    let applied = life
        .ops
        .apply_cluster(&default_project(), "dev".parse().unwrap(), spec())
        .await;
    assert!(applied.unwrap().1.is_some());
    life.settle().await.unwrap();
    assert_eq!(phase(&life).await, ClusterPhase::Running);
}

#[tokio::test]
async fn describing_a_cancelled_creation_anew_takes_it_up() {
    let host = Host::new();
    let (life, _) = cancelled(&host).await;
    let mut other = spec();
    other
        .node_groups
        .insert("more".parse().unwrap(), NodeGroup::of_fixed_size(1));
    let applied = life
        .ops
        .apply_cluster(&default_project(), "dev".parse().unwrap(), other)
        .await;
    assert!(applied.unwrap().1.is_some());
    life.settle().await.unwrap();
    assert_eq!(phase(&life).await, ClusterPhase::Running);
    let cluster = life
        .ops
        .get_cluster(&default_project(), "dev")
        .await
        .unwrap()
        .cluster;
    assert_eq!(cluster.status.nodes_ready, 2);
}

#[tokio::test]
async fn a_cancelled_creation_can_be_deleted_and_a_deletion_cannot_be_cancelled() {
    let host = Host::new();
    let (life, _) = cancelled(&host).await;
    let delete = life.ops.delete_cluster(&default_project(), "dev").await.unwrap();
    let fault = life
        .ops
        .cancel_operation(&default_project(), &delete.id)
        .await
        .unwrap_err();
    assert_eq!(fault.code, "operation-not-cancellable");
    life.settle().await.unwrap();
    let delete = life
        .ops
        .get_operation(&default_project(), &delete.id)
        .await
        .unwrap();
    assert_eq!(delete.state, OperationState::Succeeded, "{delete:#?}");
    assert!(life.ops.get_cluster(&default_project(), "dev").await.is_err());
}
