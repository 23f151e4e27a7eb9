//! Gives a registered node what the platform chose for it. Only what differs is sent: a pod range can be set once.

use k8s_openapi::api::core::v1::Node;
use kube::{
    Client,
    api::{Api, Patch, PatchParams},
};
use ports::cluster_api::NodeWanted;
use serde_json::{Map, Value, json};
use types::{Cidr, Fault, FaultKind};

use crate::{FIELD_MANAGER, error::CallError};

pub(crate) async fn adopt(client: &Client, wanted: &NodeWanted) -> Result<(), CallError> {
    let nodes: Api<Node> = Api::all(client.clone());
    let found = nodes
        .get_opt(&wanted.name)
        .await?
        .ok_or_else(|| absent(&wanted.name))?;
    if let Some(patch) = difference(&found, wanted)? {
        let params = PatchParams {
            field_manager: Some(FIELD_MANAGER.to_owned()),
            ..PatchParams::default()
        };
        nodes
            .patch_metadata(&wanted.name, &params, &Patch::Merge(&patch))
            .await?;
    }
    Ok(())
}

/// The merge patch that makes the node what it should be, if it is not.
fn difference(found: &Node, wanted: &NodeWanted) -> Result<Option<Value>, Fault> {
    let mut patch = Map::new();
    let has = found.metadata.labels.as_ref();
    let labels: Map<_, _> = wanted
        .labels
        .iter()
        .filter(|&(key, value)| has.and_then(|l| l.get(key)) != Some(value))
        .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
        .collect();
    if !labels.is_empty() {
        patch.insert("metadata".to_owned(), json!({"labels": labels}));
    }
    match range_of(found) {
        None => {
            let range = wanted.pods.to_string();
            patch.insert("spec".to_owned(), json!({"podCIDR": range, "podCIDRs": [range]}));
        }
        Some(range) if range.parse::<Cidr>() == Ok(wanted.pods) => {}
        Some(range) => return Err(taken(wanted, range)),
    }
    Ok((!patch.is_empty()).then_some(Value::Object(patch)))
}

fn range_of(node: &Node) -> Option<&str> {
    let spec = node.spec.as_ref()?;
    let first = spec.pod_cidrs.as_ref().and_then(|ranges| ranges.first());
    spec.pod_cidr
        .as_ref()
        .or(first)
        .map(String::as_str)
        .filter(|range| !range.is_empty())
}

fn absent(name: &str) -> Fault {
    Fault::new(
        FaultKind::NotFound,
        "node-not-found",
        format!("no node '{name}' has registered with the cluster"),
        "it registers when its kubelet first reaches the API; look at the machine's log if it does not",
    )
}

fn taken(wanted: &NodeWanted, range: &str) -> Fault {
    Fault::conflict(
        "node-range-taken",
        format!(
            "node '{}' has the pod range {range} already and was to get {}",
            wanted.name, wanted.pods
        ),
        "a node keeps its pod range for life; delete the node object, or replace the machine, so that it \
         registers anew",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> NodeWanted {
        let labels = [
            ("zone".to_owned(), "a".to_owned()),
            ("pool".to_owned(), "p".to_owned()),
        ];
        NodeWanted {
            name: "n".to_owned(),
            pods: "10.1.2.0/24".parse().unwrap(),
            labels: labels.into(),
        }
    }

    fn node(value: Value) -> Node {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_new_node_gets_everything() {
        let patch = difference(&node(json!({"metadata": {"name": "n"}})), &wanted()).unwrap();
        let everything = json!({
            "metadata": {"labels": {"zone": "a", "pool": "p"}},
            "spec": {"podCIDR": "10.1.2.0/24", "podCIDRs": ["10.1.2.0/24"]},
        });
        assert_eq!(patch, Some(everything));
    }

    #[test]
    fn only_what_differs_is_sent() {
        let found = node(json!({
            "metadata": {"name": "n", "labels": {"zone": "b", "pool": "p", "theirs": "x"}},
            "spec": {"podCIDR": "10.1.2.0/24"},
        }));
        let patch = difference(&found, &wanted()).unwrap();
        assert_eq!(patch, Some(json!({"metadata": {"labels": {"zone": "a"}}})));
    }

    #[test]
    fn an_adopted_node_is_left_alone() {
        let found = node(json!({
            "metadata": {"name": "n", "labels": {"zone": "a", "pool": "p"}},
            "spec": {"podCIDR": "10.1.2.0/24", "podCIDRs": ["10.1.2.0/24"]},
        }));
        assert_eq!(difference(&found, &wanted()), Ok(None));
    }

    #[test]
    fn a_range_is_never_changed() {
        for spec in [
            json!({"podCIDR": "10.9.0.0/24"}),
            json!({"podCIDRs": ["fd00::/64"]}),
        ] {
            let fault = difference(&node(json!({"metadata": {}, "spec": spec})), &wanted()).unwrap_err();
            assert_eq!(
                (fault.kind, fault.code.as_ref()),
                (FaultKind::Conflict, "node-range-taken")
            );
        }
    }
}
