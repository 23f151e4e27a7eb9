//! Everything dies at once, as by a host reboot.

use std::time::Duration;

use e2e::{Cluster, Platform, eventually};
use serde_json::Value;

use super::death::pods_run;

/// Leaves something in the cluster by which its data is known again.
pub fn remember(cluster: &Cluster<'_>) {
    cluster
        .kubectl(&[
            "create",
            "secret",
            "generic",
            "memory",
            "--from-literal=word=elephant",
        ])
        .ok();
}

pub fn still_remembered(cluster: &Cluster<'_>) {
    let word = eventually("the secret is read", Duration::from_secs(30), || {
        cluster.get(&["secret", "memory"])
    });
    // "elephant"
    assert_eq!(word["data"]["word"], "ZWxlcGhhbnQ=");
}

/// What must be the same afterwards: names, addresses, ranges.
fn identity(cluster: &Cluster<'_>) -> Vec<Value> {
    let nodes = cluster.get(&["nodes"]).expect("nodes");
    let of = |node: &Value| {
        serde_json::json!([
            node["metadata"]["name"],
            node["metadata"]["uid"],
            node["spec"]["podCIDR"],
            node["status"]["addresses"]
        ])
    };
    nodes["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(of)
        .collect()
}

pub fn cut(platform: &mut Platform) {
    let before = {
        let cluster = Cluster::open(platform, "dev");
        cluster.apply(
            r#"
apiVersion: apps/v1
kind: Deployment
metadata: {name: stays}
spec:
  selector: {matchLabels: {app: stays}}
  template:
    metadata: {labels: {app: stays}}
    spec:
      containers:
      - {name: a, image: "busybox:latest", command: [/bin/sh, -c, "sleep 36000"]}
"#,
        );
        cluster.wait_for_pods("app=stays", 1);
        identity(&cluster)
    };
    platform.power_cut();
    let left = e2e::residue(platform.mark(), platform.dir());
    assert!(left.is_empty(), "the cut was not whole: {left:#?}");
    platform.boot();
    let cluster = Cluster::open(platform, "dev");
    cluster.wait_for_phase("RUNNING", Duration::from_secs(120));
    still_remembered(&cluster);
    assert_eq!(identity(&cluster), before);
    cluster.wait_for_pods("app=stays", 1);
    pods_run(&cluster, "after-cut");
}
