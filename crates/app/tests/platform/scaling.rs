//! Node groups described anew: workers come and go, and nothing else of the cluster is touched, whatever dies when.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::harness::{Host, Life, Script};
use app::{default_project, ops::Change};
use ports::{Compute, Network};
use types::{
    Fault,
    cluster::{ClusterSpec, NodeGroup},
    operation::{Operation, OperationKind, OperationState},
    status::ClusterPhase,
};
use workflow::{NoProbe, WorkflowError};

fn spec(groups: &[(&str, u32)]) -> ClusterSpec {
    let group = |n| NodeGroup {
        instance_type: Some("u1.micro".to_owned()),
        ..NodeGroup::of_fixed_size(n)
    };
    ClusterSpec {
        vpc: "lab".to_owned(),
        node_groups: groups
            .iter()
            .map(|(name, n)| (name.parse().unwrap(), group(*n)))
            .collect::<BTreeMap<_, _>>(),
        ..ClusterSpec::default()
    }
}

async fn apply(life: &Life, spec: ClusterSpec) -> Result<Option<Operation>, Fault> {
    let applied = life
        .ops
        .apply_cluster(&default_project(), "dev".parse().unwrap(), spec)
        .await;
    applied.map(|(_, operation)| operation)
}

async fn with_cluster(host: &Host, groups: &[(&str, u32)]) -> Life {
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    apply(&life, spec(groups)).await.unwrap();
    life.settle().await.unwrap();
    life
}

async fn workers(life: &Life) -> Vec<String> {
    let all = life.ops.list_instances(&default_project()).await.unwrap();
    let mut names: Vec<String> = all.into_iter().map(|m| m.hostname).collect();
    names.sort();
    names
}

/// The books, the host and the network agree on this many workers beside the control plane.
async fn assert_settled_with(host: &Host, life: &Life, count: usize) {
    let detail = life.ops.get_cluster(&default_project(), "dev").await.unwrap();
    let status = &detail.cluster.status;
    assert_eq!(status.phase, ClusterPhase::Running, "{status:?}");
    assert_eq!(
        (status.nodes_ready as usize, status.nodes_wanted as usize),
        (count, count)
    );
    assert_eq!(detail.machines.len(), count);
    let found = host.world.compute().scan().await.unwrap();
    let machines: BTreeSet<&str> = found.iter().map(|f| f.owner.as_str()).collect();
    assert_eq!(machines.len(), count + 1, "{machines:?}");
    let network = life.ops.get_network(&default_project(), "lab").await.unwrap();
    let seen = host.world.network().observe(&network.id).await;
    assert_eq!(seen.present().unwrap().ports.len(), count + 1);
}

#[tokio::test(start_paused = true)]
async fn workers_come_and_go_and_the_others_stay() {
    let host = Host::new();
    let life = with_cluster(&host, &[("default", 2)]).await;
    let before = workers(&life).await;

    host.clock.advance(2_000);
    let operation = apply(&life, spec(&[("default", 3)])).await.unwrap().unwrap();
    assert_eq!(operation.kind, OperationKind::Update);
    life.settle().await.unwrap();
    assert_settled_with(&host, &life, 3).await;
    let now = workers(&life).await;
    assert!(before.iter().all(|name| now.contains(name)), "{now:?}");
    let ended = life
        .ops
        .get_operation(&default_project(), &operation.id)
        .await
        .unwrap();
    assert_eq!(ended.state, OperationState::Succeeded, "{ended:#?}");

    apply(&life, spec(&[("default", 1), ("large", 1)])).await.unwrap();
    life.settle().await.unwrap();
    assert_settled_with(&host, &life, 2).await;
    let now = workers(&life).await;
    assert!(
        before.iter().any(|name| now.contains(name)),
        "the oldest stay: {now:?}"
    );

    apply(&life, spec(&[("large", 1)])).await.unwrap();
    life.settle().await.unwrap();
    assert_settled_with(&host, &life, 1).await;
    assert!(workers(&life).await[0].contains("-large-"));
    assert_eq!(apply(&life, spec(&[("large", 1)])).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn a_plan_says_who_comes_and_who_goes_and_changes_nothing() {
    let host = Host::new();
    let life = with_cluster(&host, &[("default", 2)]).await;
    let plan = async |groups| {
        life.ops
            .plan_cluster(&default_project(), "dev".parse().unwrap(), spec(groups))
            .await
    };
    let more = plan(&[("default", 3)]).await.unwrap();
    assert_eq!(more.change, Change::Update);
    let titles: Vec<&str> = more
        .steps
        .iter()
        .map(|s| s.title.split(' ').next().unwrap())
        .collect();
    assert_eq!(titles, ["issue", "attach", "start", "node"], "{more:?}");
    let fewer = plan(&[("default", 1)]).await.unwrap();
    let titles: Vec<&str> = fewer
        .steps
        .iter()
        .map(|s| s.title.split(' ').next().unwrap())
        .collect();
    assert_eq!(titles, ["attach", "move", "remove", "take"], "{fewer:?}");
    assert_eq!(plan(&[("default", 2)]).await.unwrap().change, Change::None);
    life.settle().await.unwrap();
    assert_settled_with(&host, &life, 2).await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_changed_is_refused_by_name() {
    let host = Host::new();
    let life = with_cluster(&host, &[("default", 1)]).await;
    let mut other = spec(&[("default", 1)]);
    other.ranges.domain = "example.org".to_owned();
    let mut shape = spec(&[("default", 1)]);
    for group in shape.node_groups.values_mut() {
        group.instance_type = Some("u1.small".to_owned());
    }
    for (spec, word) in [(other, "ranges"), (shape, "nodeGroups.default")] {
        let fault = apply(&life, spec).await.unwrap_err();
        assert_eq!(fault.code, "change-not-supported");
        assert!(fault.cause.contains(word), "{fault}");
    }
    let fault = apply(&life, spec(&[("default", 500)])).await.unwrap_err();
    assert!(
        ["host-full", "pod-range-small"].contains(&&*fault.code),
        "{fault}"
    );
    assert_settled_with(&host, &life, 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_change_survives_death_at_every_point() {
    let target = [("large", 1)];
    let host = Host::new();
    let points: Vec<(String, &'static str)> = {
        with_cluster(&host, &[("default", 1)]).await;
        let script = Arc::new(Script::default());
        let life = host.start(script.clone());
        apply(&life, spec(&target)).await.unwrap();
        life.settle().await.unwrap();
        let seen = script.seen.lock().unwrap();
        seen.iter()
            .map(|(step, moment)| (step.clone(), *moment))
            .collect()
    };
    assert!(points.len() >= 15, "{points:?}");
    for (step, moment) in points {
        let host = Host::new();
        let first = with_cluster(&host, &[("default", 1)]).await;
        // Names of machines differ from run to run; what is before them does not.
        let prefix = step.split_inclusive("/dev-").next().unwrap().to_owned();
        let script = Arc::new(Script::default());
        *script.die_at.lock().unwrap() = Some((prefix.clone(), moment));
        drop(first);
        let doomed = host.start(script);
        apply(&doomed, spec(&target)).await.unwrap();
        let died = doomed.settle().await;
        assert!(
            matches!(died, Err(WorkflowError::Killed)),
            "{prefix} {moment}: {died:?}"
        );
        let next = host.start(Arc::new(NoProbe));
        next.outlive_leases();
        next.settle().await.unwrap();
        assert_settled_with(&host, &next, 1).await;
    }
}
