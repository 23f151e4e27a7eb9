//! Labels are for people: nothing of a cluster or a network moves when they change.

use std::{collections::BTreeMap, sync::Arc};

use app::{
    default_project,
    ops::{Called, Change},
};
use types::{
    Labels,
    cluster::{ClusterSpec, NodeGroup},
};
use workflow::NoProbe;

use crate::harness::Host;

fn called(name: &str, labels: &[(&str, &str)]) -> Called {
    let labels: BTreeMap<String, String> = labels
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Called {
        name: name.parse().unwrap(),
        labels: Some(Labels::try_from(labels).unwrap()),
    }
}

fn spec() -> ClusterSpec {
    let group = NodeGroup {
        instance_type: Some("u1.micro".to_owned()),
        ..NodeGroup::of_fixed_size(1)
    };
    ClusterSpec {
        vpc: "lab".to_owned(),
        node_groups: [("default".parse().unwrap(), group)].into(),
        ..ClusterSpec::default()
    }
}

#[tokio::test(start_paused = true)]
async fn new_labels_begin_nothing_and_stay_until_they_are_named_again() {
    let host = Host::new();
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    let project = default_project();
    let first = called("dev", &[("env", "test")]);
    life.ops.apply_cluster(&project, first, spec()).await.unwrap();
    life.settle().await.unwrap();
    let before = life.ops.get_cluster(&project, "dev").await.unwrap();
    assert_eq!(before.cluster.labels.get("env"), Some("test"));

    let second = called("dev", &[("env", "prod")]);
    let preview = life
        .ops
        .plan_cluster(&project, second.clone(), spec())
        .await
        .unwrap();
    assert_eq!((preview.change, preview.steps.len()), (Change::Update, 0));
    let (cluster, operation) = life.ops.apply_cluster(&project, second, spec()).await.unwrap();
    assert!(operation.is_none());
    assert_eq!(cluster.labels.get("env"), Some("prod"));
    life.settle().await.unwrap();
    let after = life.ops.get_cluster(&project, "dev").await.unwrap();
    assert_eq!(after.machines, before.machines);
    let unlabelled = |mut cluster: types::cluster::Cluster| {
        cluster.labels = Labels::default();
        cluster
    };
    assert_eq!(
        unlabelled(after.cluster),
        unlabelled(before.cluster),
        "labels and nothing else"
    );

    // A description that does not speak of labels leaves them alone; an empty one takes them.
    let (cluster, _) = life
        .ops
        .apply_cluster(&project, "dev".parse().unwrap(), spec())
        .await
        .unwrap();
    assert_eq!(cluster.labels.get("env"), Some("prod"));
    let (cluster, _) = life
        .ops
        .apply_cluster(&project, called("dev", &[]), spec())
        .await
        .unwrap();
    assert!(cluster.labels.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_network_is_labelled_and_keeps_its_range() {
    let host = Host::new();
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    let project = default_project();
    let lab = life.ops.get_network(&project, "lab").await.unwrap();
    let labelled = called("lab", &[("env", "prod")]);
    let applied = life
        .ops
        .apply_network(&project, labelled.clone(), lab.cidr)
        .await
        .unwrap();
    assert!(applied.operation.is_none());
    assert_eq!(applied.network.generation, lab.generation);
    assert_eq!(applied.network.labels.get("env"), Some("prod"));
    let other = "10.99.0.0/16".parse().unwrap();
    let refused = life
        .ops
        .apply_network(&project, labelled, other)
        .await
        .unwrap_err();
    assert_eq!(refused.code, "vpc-range-fixed");
}
