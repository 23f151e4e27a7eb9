//! Who may do what among the platform's own identities.

use serde_json::{Value, json};

use super::labels;
use crate::material::{ADMIN_GROUP, KUBELET_CLIENT_GROUP};

pub(super) fn objects() -> Vec<Value> {
    vec![
        // The controller manager makes it a moment later; with it, a cluster that is RUNNING takes pods at once.
        json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "default", "namespace": "default"},
        }),
        bind("plasmacloud:cluster-admins", "cluster-admin", ADMIN_GROUP),
        bind(
            "plasmacloud:kubelet-clients",
            "system:kubelet-api-admin",
            KUBELET_CLIENT_GROUP,
        ),
        // Controllers make these too, a moment after the API is ready. Until then no pod can be made.
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}),
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "default"}}),
    ]
}

fn bind(name: &str, role: &str, group: &str) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name, "labels": labels("access")},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}],
    })
}
