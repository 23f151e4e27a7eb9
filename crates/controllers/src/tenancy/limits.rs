//! How much a namespace may hold: the three quotas, and what a container gets that asks for nothing.

use serde_json::json;
use types::tenancy::NamespaceLimits;

use super::object::{Kind, Object};

pub fn quotas(namespace: &str, limits: &NamespaceLimits) -> [Object; 3] {
    let count = |n: u32| n.to_string();
    let quota = |name: &str, hard: serde_json::Value| {
        Object::new(
            Kind::Quota,
            Some(namespace),
            name,
            json!({"spec": {"hard": hard}}),
        )
    };
    [
        quota(
            "project-compute-quota",
            json!({
                "requests.cpu": count(limits.requests_cpu),
                "requests.memory": limits.requests_memory.to_string(),
                "limits.cpu": count(limits.limits_cpu),
                "limits.memory": limits.limits_memory.to_string(),
            }),
        ),
        quota(
            "project-storage-quota",
            json!({
                "persistentvolumeclaims": count(limits.volume_claims),
                "requests.storage": limits.requests_storage.to_string(),
            }),
        ),
        quota(
            "project-object-quota",
            json!({
                "pods": count(limits.pods),
                "services": count(limits.services),
                "services.loadbalancers": count(limits.load_balancers),
                "configmaps": count(limits.config_maps),
                "secrets": count(limits.secrets),
            }),
        ),
    ]
}

/// Under a quota of requests and limits a pod that names none is refused. With these an ordinary `kubectl run` works,
/// and as many such pods fit as the quota of objects allows.
pub fn defaults(namespace: &str) -> Object {
    let container = json!({
        "type": "Container",
        "defaultRequest": {"cpu": "100m", "memory": "128Mi"},
        "default": {"cpu": "400m", "memory": "512Mi"},
    });
    Object::new(
        Kind::Defaults,
        Some(namespace),
        "project-defaults",
        json!({"spec": {"limits": [container]}}),
    )
}
