//! A node's life as the platform sees it.

use std::collections::BTreeMap;

use kubeapi::KubeApi;
use ports::cluster_api::{ClusterApi, NodeSeen, NodeWanted};
use serde_json::json;

use crate::plane::Plane;

pub async fn a_node_from_registration_to_deletion(api: &KubeApi, plane: &Plane) {
    let target = plane.target();
    assert_eq!(api.nodes(&target).await, Ok(Vec::new()));

    let labels = BTreeMap::from([("example.com/pool".to_owned(), "blue".to_owned())]);
    let wanted = NodeWanted {
        name: "worker-1".to_owned(),
        pods: "10.244.7.0/24".parse().unwrap(),
        labels,
    };
    register(plane, "worker-1");
    let [fresh] = seen(api, plane).await;
    assert!(
        !fresh.ready && !fresh.message.is_empty() && !fresh.unschedulable,
        "{fresh:?}"
    );
    assert_eq!(fresh.pods, None);

    report(plane, "worker-1", "False", "container runtime network not ready");
    let [unready] = seen(api, plane).await;
    assert_eq!(
        (unready.ready, unready.message.as_str()),
        (false, "container runtime network not ready")
    );

    api.adopt_node(&target, &wanted).await.unwrap();
    report(plane, "worker-1", "True", "kubelet is posting ready status");
    let [held_back] = seen(api, plane).await;
    assert!(
        !held_back.ready && held_back.message.contains("controller manager"),
        "{held_back:?}"
    );
    // There is no controller manager here to do it.
    plane.kubectl(&[
        "taint",
        "node",
        "worker-1",
        "node.kubernetes.io/not-ready:NoSchedule-",
    ]);
    plane.kubectl(&["cordon", "worker-1"]);
    let [adopted] = seen(api, plane).await;
    assert!(
        adopted.ready && adopted.message.is_empty() && adopted.unschedulable,
        "{adopted:?}"
    );
    assert_eq!(adopted.pods, Some(wanted.pods));
    assert_eq!(adopted.labels["example.com/pool"], "blue");
    assert_eq!(
        adopted.labels["kubernetes.io/hostname"], "worker-1",
        "labels of others stay"
    );
    let object = plane.get(&["node", "worker-1"]);
    assert_eq!(object["spec"]["podCIDRs"], json!(["10.244.7.0/24"]));

    register(plane, "worker-2");
    api.delete_node(&target, "worker-1").await.unwrap();
    assert_eq!(seen::<1>(api, plane).await[0].name, "worker-2");
    api.delete_node(&target, "worker-2").await.unwrap();
    assert_eq!(api.nodes(&target).await, Ok(Vec::new()));
}

async fn seen<const N: usize>(api: &KubeApi, plane: &Plane) -> [NodeSeen; N] {
    api.nodes(&plane.target()).await.unwrap().try_into().unwrap()
}

/// As a kubelet would.
fn register(plane: &Plane, name: &str) {
    let node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
    });
    plane.create(&node);
}

fn report(plane: &Plane, name: &str, ready: &str, message: &str) {
    let status = json!({"status": {"conditions": [
        {"type": "Ready", "status": ready, "reason": "Test", "message": message},
    ]}});
    plane.kubectl(&[
        "patch",
        "node",
        name,
        "--subresource=status",
        "--type=merge",
        "-p",
        &status.to_string(),
    ]);
}
