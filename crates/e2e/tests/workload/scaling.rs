//! Workers that come and go when the cluster's file says so.

use std::{fs, time::Duration};

use e2e::{Cluster, Machine, Platform, Session, eventually};
use serde_json::json;

fn file(platform: &Platform, workers: u32) -> String {
    let path = platform.dir().join("scaled.yaml");
    let text = format!(
        "apiVersion: plasmacloud.io/v1\nkind: Cluster\nmetadata: {{name: dev-cluster}}\nspec:\n  vpc: lab\n  \
         version: v1.36\n  nodeGroups:\n    default: {{minReplicas: {workers}, maxReplicas: {workers}, \
         instanceType: u1.small}}\n"
    );
    fs::write(&path, text).expect("writable");
    path.to_str().expect("plain").to_owned()
}

/// A node that joins late has what was loaded before, and the cluster is UPDATING meanwhile.
pub fn more(cluster: &Cluster<'_>, platform: &Platform) {
    let before = cluster.node_names();
    let path = file(platform, 3);
    let plan = platform.cloud(&["k8s", "plan", "-f", &path]).ok();
    assert!(plan.contains("start dev-cluster-default-"), "{plan}");
    assert_eq!(cluster.node_names(), before, "a plan changes nothing");
    let mut apply = Session::start(&mut platform.cloud_command(&["apply", "-f", &path]));
    cluster.wait_for_phase("UPDATING", Duration::from_secs(20));
    apply.hears("is ready after", Duration::from_secs(120));
    assert!(
        cluster
            .wait_for_phase("RUNNING", Duration::from_secs(5))
            .is_empty()
    );
    let after = cluster.node_names();
    assert_eq!(after.len(), 3, "{after:?}");
    assert!(
        before.iter().all(|name| after.contains(name)),
        "{before:?} {after:?}"
    );
    cluster.wait_for_pods("app=app", 3);
}

/// Pods move before their node goes, never more of them at once than their budget allows.
pub fn fewer(cluster: &Cluster<'_>, platform: &Platform) {
    let labels = json!({"app": "moving"});
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "moving"}, "spec": {
        "replicas": 3, "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {
            "terminationGracePeriodSeconds": 1,
            "topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": labels},
            }],
            "containers": [{"name": "a", "image": "docker.io/library/busybox:latest", "command": ["sleep", "3600"]}],
        }},
    }});
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "moving"},
        "spec": {"minAvailable": 2, "selector": {"matchLabels": labels}}});
    cluster.apply(&deployment.to_string());
    cluster.apply(&budget.to_string());
    cluster.wait_for_pods("app=moving", 3);
    let path = file(platform, 1);
    let mut apply = Session::start(&mut platform.cloud_command(&["apply", "-f", &path]));
    eventually(
        "two workers are gone, and two pods ran all the time",
        Duration::from_secs(180),
        || {
            let moving = cluster.get(&["deployment", "moving"])?;
            let available = moving["status"]["availableReplicas"].as_u64().unwrap_or(0);
            assert!(available >= 2, "the budget was not kept: {moving}");
            let nodes = cluster.node_names();
            if nodes.len() == 1 {
                Ok(())
            } else {
                Err(format!("{nodes:?}"))
            }
        },
    );
    apply.hears("is ready after", Duration::from_secs(60));
    cluster.wait_for_phase("RUNNING", Duration::from_secs(20));
    cluster.wait_for_pods("app=moving", 3);
    let list = platform.cloud(&["instance", "list", "-o", "json"]).json();
    let left = list["instances"].as_array().map(Vec::len);
    assert_eq!(left, Some(1), "{list}");
    let machines = Machine::all(platform.mark());
    assert_eq!(
        machines
            .iter()
            .filter(|m| m.hostname.starts_with("dev-cluster-"))
            .count(),
        2,
        "{machines:?}"
    );
}
