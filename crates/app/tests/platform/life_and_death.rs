//! A cluster is created and deleted with the platform killed at every point of every step: nothing is lost, made twice
//! or left behind.

use app::{Lists, default_project, paged::Part};
use std::{collections::BTreeMap, sync::Arc};

use crate::harness::{Host, Life, Script};
use ports::{Compute, Network, Store, Volumes, store::Filter};
use types::{
    Fault, OperationId,
    cluster::{ClusterSpec, NodeGroup},
    operation::OperationState,
    status::ClusterPhase,
};
use workflow::{NoProbe, WorkflowError};

fn spec(workers: u32) -> ClusterSpec {
    let group = NodeGroup {
        instance_type: Some("u1.micro".to_owned()),
        ..NodeGroup::of_fixed_size(workers)
    };
    ClusterSpec {
        vpc: "lab".to_owned(),
        node_groups: BTreeMap::from([("default".parse().unwrap(), group)]),
        ..ClusterSpec::default()
    }
}

async fn create(life: &Life) -> OperationId {
    life.ops
        .create_cluster(&default_project(), "dev".parse().unwrap(), spec(2))
        .await
        .unwrap()
        .1
        .id
}

async fn assert_running(life: &Life, operation: &OperationId) {
    let operation = life
        .ops
        .get_operation(&default_project(), operation)
        .await
        .unwrap();
    assert_eq!(operation.state, OperationState::Succeeded, "{operation:#?}");
    let detail = life.ops.get_cluster(&default_project(), "dev").await.unwrap();
    assert_eq!(
        detail.cluster.status.phase,
        ClusterPhase::Running,
        "{:?}",
        detail.cluster.status
    );
    assert_eq!((detail.cluster.status.nodes_ready, detail.machines.len()), (2, 2));
}

/// Nothing on the host and nothing on the books, but the network and the record of what was done.
async fn assert_gone(host: &Host, life: &Life) {
    let found = host.world.compute().scan().await.unwrap();
    assert_eq!(found, [], "machines are left");
    assert_eq!(host.world.volumes().scan().await.unwrap(), [], "volumes are left");
    let network = life.ops.get_network(&default_project(), "lab").await.unwrap();
    let seen = host.world.network().observe(&network.id).await;
    assert!(
        seen.present().unwrap().ports.is_empty(),
        "ports are left: {seen:?}"
    );
    for kind in ["cluster", "machine"] {
        assert!(
            host.store
                .list(kind, &Filter::default())
                .await
                .unwrap()
                .is_empty(),
            "{kind} rows are left"
        );
    }
}

/// Everything was made and booted once.
fn made_once(effects: &[String]) {
    let mut counts: BTreeMap<&String, u32> = BTreeMap::new();
    for effect in effects
        .iter()
        .filter(|e| e.ends_with(": make") || e.ends_with(": boot"))
    {
        *counts.entry(effect).or_default() += 1;
    }
    let twice: Vec<_> = counts.iter().filter(|(_, n)| **n > 1).collect();
    assert!(twice.is_empty(), "made twice: {twice:?}");
}

#[tokio::test(start_paused = true)]
async fn a_cluster_comes_up_and_goes_away() {
    let host = Host::new();
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    let operation = create(&life).await;
    life.settle().await.unwrap();
    assert_running(&life, &operation).await;
    let delete = life.ops.delete_cluster(&default_project(), "dev").await.unwrap();
    life.settle().await.unwrap();
    let delete = life
        .ops
        .get_operation(&default_project(), &delete.id)
        .await
        .unwrap();
    assert_eq!(delete.state, OperationState::Succeeded);
    assert!(
        delete.report.iter().any(|line| line.contains("nothing left")),
        "{:?}",
        delete.report
    );
    assert_gone(&host, &life).await;
}

/// Every point of the plan, found by running it once.
async fn points(during_delete: bool) -> Vec<(String, &'static str)> {
    let host = Host::new();
    let script = Arc::new(Script::default());
    let quiet = host.start(Arc::new(NoProbe));
    quiet.lab().await;
    if during_delete {
        create(&quiet).await;
        quiet.settle().await.unwrap();
    }
    let life = host.start(script.clone());
    if during_delete {
        life.ops.delete_cluster(&default_project(), "dev").await.unwrap();
    } else {
        create(&life).await;
    }
    life.settle().await.unwrap();
    let seen = script.seen.lock().unwrap();
    // Workers' names differ from run to run: the first of them stands for all.
    seen.iter()
        .filter(|(step, _)| !step.contains("-default-"))
        .cloned()
        .collect()
}

async fn killed_at(
    host: &Host,
    point: &(String, &'static str),
    begin: impl AsyncFn(&Life) -> OperationId,
) -> OperationId {
    let script = Arc::new(Script::default());
    *script.die_at.lock().unwrap() = Some(point.clone());
    let doomed = host.start(script.clone());
    let operation = begin(&doomed).await;
    let died = doomed.settle().await;
    assert!(
        matches!(died, Err(WorkflowError::Killed)),
        "{point:?} was not reached: {died:?}"
    );
    drop(doomed);
    operation
}

#[tokio::test(start_paused = true)]
async fn creation_survives_death_at_every_point() {
    let points = points(false).await;
    assert!(points.len() >= 20, "{points:?}");
    for point in points {
        let host = Host::new();
        host.start(Arc::new(NoProbe)).lab().await;
        let operation = killed_at(&host, &point, create).await;
        let next = host.start(Arc::new(NoProbe));
        next.outlive_leases();
        next.settle().await.unwrap();
        assert_running(&next, &operation).await;
        made_once(&host.world.effects());
    }
}

#[tokio::test(start_paused = true)]
async fn a_creation_that_died_anywhere_can_be_deleted() {
    for point in points(false).await {
        let host = Host::new();
        host.start(Arc::new(NoProbe)).lab().await;
        killed_at(&host, &point, create).await;
        let next = host.start(Arc::new(NoProbe));
        next.ops.delete_cluster(&default_project(), "dev").await.unwrap();
        next.outlive_leases();
        next.settle().await.unwrap();
        assert_gone(&host, &next).await;
    }
}

#[tokio::test(start_paused = true)]
async fn deletion_survives_death_at_every_point() {
    let points = points(true).await;
    assert!(points.len() >= 12, "{points:?}");
    for point in points {
        let host = Host::new();
        let first = host.start(Arc::new(NoProbe));
        first.lab().await;
        create(&first).await;
        first.settle().await.unwrap();
        let delete = async |life: &Life| {
            life.ops
                .delete_cluster(&default_project(), "dev")
                .await
                .unwrap()
                .id
        };
        let operation = killed_at(&host, &point, delete).await;
        let next = host.start(Arc::new(NoProbe));
        next.outlive_leases();
        next.settle().await.unwrap();
        assert_gone(&host, &next).await;
        let operation = next
            .ops
            .get_operation(&default_project(), &operation)
            .await
            .unwrap();
        assert_eq!(operation.state, OperationState::Succeeded, "{point:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_killed_machine_comes_back_and_the_cluster_says_so() {
    let host = Host::new();
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    let operation = create(&life).await;
    life.settle().await.unwrap();
    let worker = life
        .ops
        .list_instances(&default_project())
        .await
        .unwrap()
        .remove(0);
    host.world.kill(&worker.id);
    host.clock.advance(10_000);
    life.settle().await.unwrap();
    assert_running(&life, &operation).await;
    let lists = Lists::new(Arc::new(host.store.clone()));
    let part = Part {
        after: None,
        limit: 50,
    };
    let page = lists.events(&default_project(), Some("dev"), &part).await;
    let events = page.unwrap().items;
    assert!(events.iter().any(|e| e.reason == "MachineDown"), "{events:#?}");
    assert!(
        events.iter().any(|e| e.message.contains("DEGRADED")),
        "{events:#?}"
    );
}

#[tokio::test(start_paused = true)]
async fn everything_killed_at_once_returns() {
    let host = Host::new();
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    let operation = create(&life).await;
    life.settle().await.unwrap();
    host.world.reboot();
    drop(life);
    let next = host.start(Arc::new(NoProbe));
    next.outlive_leases();
    next.settle().await.unwrap();
    assert_running(&next, &operation).await;
}

#[tokio::test(start_paused = true)]
async fn a_fault_that_stays_fails_the_operation_and_deletion_still_works() {
    let host = Host::new();
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    let refused = Fault::refused(
        "no-nspawn",
        "systemd-nspawn is not installed",
        "install systemd-container",
    );
    host.world.fail_next("compute.apply", refused);
    let operation = create(&life).await;
    life.settle().await.unwrap();
    let operation = life
        .ops
        .get_operation(&default_project(), &operation)
        .await
        .unwrap();
    assert_eq!(operation.state, OperationState::Failed);
    assert_eq!(operation.fault.unwrap().code, "no-nspawn");
    life.ops.delete_cluster(&default_project(), "dev").await.unwrap();
    life.settle().await.unwrap();
    assert_gone(&host, &life).await;
}

#[tokio::test(start_paused = true)]
async fn a_planted_thing_is_reported_by_a_deletion() {
    use ports::scan::{Found, FoundKind};
    let host = Host::new();
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    create(&life).await;
    life.settle().await.unwrap();
    host.world.plant(Found {
        what: FoundKind::Cgroup,
        name: "/cg/stray".to_owned(),
        owner: "i-stray".to_owned(),
    });
    let delete = life.ops.delete_cluster(&default_project(), "dev").await.unwrap();
    life.settle().await.unwrap();
    let report = life
        .ops
        .get_operation(&default_project(), &delete.id)
        .await
        .unwrap()
        .report;
    assert!(report.iter().any(|line| line.contains("/cg/stray")), "{report:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_deletion_left_of_its_own_is_removed_by_its_name() {
    use ports::scan::{Found, FoundKind};
    let host = Host::new();
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    create(&life).await;
    life.settle().await.unwrap();
    let instances = life.ops.list_instances(&default_project()).await.unwrap();
    host.world.plant(Found {
        what: FoundKind::Mount,
        name: "/half/a/machine".to_owned(),
        owner: instances[0].id.to_string(),
    });
    let delete = life.ops.delete_cluster(&default_project(), "dev").await.unwrap();
    life.settle().await.unwrap();
    let operation = life
        .ops
        .get_operation(&default_project(), &delete.id)
        .await
        .unwrap();
    assert_eq!(operation.state, OperationState::Succeeded, "{operation:?}");
    assert_gone(&host, &life).await;
}
