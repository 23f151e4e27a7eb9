//! Empties a node as `kubectl drain` does: nothing new is scheduled there, and every pod is asked to leave by eviction,
//! so that disruption budgets are honoured.

use k8s_openapi::api::core::v1::{Node, Pod};
use kube::{
    Client,
    api::{Api, EvictParams, ListParams, Patch, PatchParams},
};
use serde_json::json;

use crate::{
    error::{CallError, is_not_found},
    nodes,
};

const MIRROR: &str = "kubernetes.io/config.mirror";
const TOO_MANY_REQUESTS: u16 = 429;

/// Pods that are still there, as `namespace/name`; empty when the node may go.
pub(crate) async fn drain(client: &Client, name: &str) -> Result<Vec<String>, CallError> {
    let all: Api<Node> = Api::all(client.clone());
    let Some(node) = all.get_opt(name).await? else {
        return Ok(Vec::new());
    };
    let cordon = json!({"spec": {"unschedulable": true}});
    all.patch_metadata(name, &PatchParams::default(), &Patch::Merge(&cordon))
        .await?;
    // Nobody is there to end its pods; they are let go of when the node object goes.
    if !nodes::says_ready(&node) {
        return Ok(Vec::new());
    }
    let here = ListParams::default().fields(&format!("spec.nodeName={name}"));
    let pods = Api::<Pod>::all(client.clone()).list(&here).await?;
    let mut left = Vec::new();
    for pod in pods.items.iter().filter(|pod| has_to_leave(pod)) {
        let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        let leaving = pod.metadata.deletion_timestamp.is_some();
        if leaving || !ask_to_leave(client, namespace, name).await? {
            left.push(format!("{namespace}/{name}"));
        }
    }
    Ok(left)
}

/// Whether it was gone already; else it is on its way out, or a disruption budget holds it.
async fn ask_to_leave(client: &Client, namespace: &str, name: &str) -> Result<bool, CallError> {
    let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
    match pods.evict(name, &EvictParams::default()).await {
        Ok(_) => Ok(false),
        Err(error) if is_not_found(&error) => Ok(true),
        Err(kube::Error::Api(status)) if status.code == TOO_MANY_REQUESTS => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// A daemon set would only make it again, a mirror pod is the node's own, and what has ended holds nothing.
fn has_to_leave(pod: &Pod) -> bool {
    let ended = pod
        .status
        .as_ref()
        .and_then(|status| status.phase.as_deref())
        .is_some_and(|phase| phase == "Succeeded" || phase == "Failed");
    let mirror = pod
        .metadata
        .annotations
        .as_ref()
        .is_some_and(|annotations| annotations.contains_key(MIRROR));
    let daemon = pod
        .metadata
        .owner_references
        .iter()
        .flatten()
        .any(|owner| owner.kind == "DaemonSet" && owner.controller == Some(true));
    !(ended || mirror || daemon)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(value: serde_json::Value) -> Pod {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn only_what_can_run_elsewhere_has_to_leave() {
        assert!(has_to_leave(&pod(
            json!({"metadata": {"name": "a"}, "status": {"phase": "Running"}})
        )));
        for stays in [
            json!({"metadata": {}, "status": {"phase": "Succeeded"}}),
            json!({"metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}}),
            json!({"metadata": {"ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u", "controller": true}
            ]}}),
        ] {
            assert!(!has_to_leave(&pod(stays.clone())), "{stays}");
        }
    }
}
