//! A newer platform with other defaults changes no cluster that exists.

use app::default_project;
use std::{collections::BTreeMap, sync::Arc};

use crate::harness::{Host, Life, Script};
use types::{
    cluster::{ClusterSpec, NodeGroup},
    status::ClusterPhase,
};
use workflow::NoProbe;

async fn create(life: &Life, name: &str) {
    let spec = ClusterSpec {
        vpc: "lab".to_owned(),
        node_groups: BTreeMap::from([("default".parse().unwrap(), NodeGroup::of_fixed_size(1))]),
        ..ClusterSpec::default()
    };
    life.ops
        .create_cluster(&default_project(), name.parse().unwrap(), spec)
        .await
        .unwrap();
    life.settle().await.unwrap();
}

#[tokio::test]
async fn changed_defaults_plan_nothing_for_clusters_that_exist() {
    let mut host = Host::new();
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    create(&life, "old").await;
    drop(life);

    for name in [
        "plane/kube-apiserver.flags",
        "node/kubelet.yaml",
        "services/access.yaml",
    ] {
        host.recipe
            .replace(name, "# other defaults\n".to_owned())
            .unwrap();
    }
    let script = Arc::new(Script::default());
    let life = host.start(script.clone());
    host.clock.advance(60_000);
    life.settle().await.unwrap();
    assert!(
        script.seen.lock().unwrap().is_empty(),
        "steps were run for a settled cluster: {:?}",
        script.seen.lock().unwrap()
    );
    let old = life
        .ops
        .get_cluster(&default_project(), "old")
        .await
        .unwrap()
        .cluster;
    assert_eq!(old.status.phase, ClusterPhase::Running);

    create(&life, "new").await;
    let new = life
        .ops
        .get_cluster(&default_project(), "new")
        .await
        .unwrap()
        .cluster;
    assert_eq!(new.pins.recipe, host.recipe.digest());
    assert_ne!(new.pins.recipe, old.pins.recipe);
}
