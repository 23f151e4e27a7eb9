//! What the platform looks at in a node.

use k8s_openapi::api::core::v1::{Node, NodeCondition};
use kube::{
    Client,
    api::{Api, ListParams},
};
use ports::cluster_api::NodeSeen;

use crate::error::CallError;

/// A node is some tens of kilobytes, images and conditions included.
const PAGE: u32 = 100;

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const HELD_BACK: &str = "the node is ready, and the controller manager has not opened it for pods yet";

pub(crate) async fn list(client: &Client) -> Result<Vec<NodeSeen>, CallError> {
    let nodes: Api<Node> = Api::all(client.clone());
    let mut seen = Vec::new();
    let mut params = ListParams::default().limit(PAGE);
    loop {
        let page = nodes.list(&params).await?;
        seen.extend(page.items.into_iter().map(look));
        match page.metadata.continue_ {
            Some(token) if !token.is_empty() => params = params.continue_token(&token),
            Some(_) | None => return Ok(seen),
        }
    }
}

/// Whether its kubelet is there.
pub(crate) fn says_ready(node: &Node) -> bool {
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_ref());
    conditions
        .into_iter()
        .flatten()
        .any(|c| c.type_ == "Ready" && c.status == "True")
}

fn look(node: Node) -> NodeSeen {
    let says_ready = says_ready(&node);
    let conditions = node.status.and_then(|s| s.conditions).unwrap_or_default();
    let condition = conditions.into_iter().find(|c| c.type_ == "Ready");
    let spec = node.spec.unwrap_or_default();
    // Until the node controller lifts it, no pod is scheduled here, whatever the kubelet says of itself.
    let held_back = spec.taints.iter().flatten().any(|taint| taint.key == NOT_READY);
    NodeSeen {
        name: node.metadata.name.unwrap_or_default(),
        ready: says_ready && !held_back,
        message: if says_ready && held_back {
            HELD_BACK.to_owned()
        } else {
            complaint(condition)
        },
        pods: spec.pod_cidr.and_then(|range| range.parse().ok()),
        labels: node.metadata.labels.unwrap_or_default(),
        unschedulable: spec.unschedulable.unwrap_or_default(),
    }
}

fn complaint(ready: Option<NodeCondition>) -> String {
    match ready {
        None => "the node has not reported whether it is ready".to_owned(),
        Some(condition) if condition.status == "True" => String::new(),
        Some(condition) => condition
            .message
            .filter(|m| !m.is_empty())
            .or(condition.reason)
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seen(node: serde_json::Value) -> NodeSeen {
        look(serde_json::from_value(node).unwrap())
    }

    #[test]
    fn a_ready_node_that_is_still_tainted_takes_no_pods() {
        let node = seen(json!({
            "metadata": {"name": "n"},
            "spec": {"taints": [{"key": NOT_READY, "effect": "NoSchedule"}]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        }));
        assert_eq!((node.ready, node.message.as_str()), (false, HELD_BACK));
    }

    #[test]
    fn readiness_is_the_condition_of_that_name() {
        let node = |status: &str| {
            seen(json!({
                "metadata": {"name": "n"},
                "status": {"conditions": [
                    {"type": "MemoryPressure", "status": "True", "message": "other"},
                    {"type": "Ready", "status": status, "reason": "Why", "message": "because"},
                ]},
            }))
        };
        for (status, ready, message) in [
            ("True", true, ""),
            ("False", false, "because"),
            ("Unknown", false, "because"),
        ] {
            let node = node(status);
            assert_eq!((node.ready, node.message.as_str()), (ready, message), "{status}");
        }
    }

    #[test]
    fn a_node_that_said_nothing_yet_is_not_ready() {
        let node = seen(json!({"metadata": {"name": "n"}}));
        assert!(!node.ready);
        assert!(!node.message.is_empty());
        assert_eq!(node.pods, None);
    }

    #[test]
    fn a_range_of_another_family_is_not_ours() {
        assert_eq!(
            seen(json!({"metadata": {"name": "n"}, "spec": {"podCIDR": "fd00::/64"}})).pods,
            None
        );
    }
}
