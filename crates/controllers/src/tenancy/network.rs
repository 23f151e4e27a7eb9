//! Who pods may talk to: by default nobody but the cluster's DNS. Tenants add policies of their own beside these.

use serde_json::{Value, json};
use types::OrgId;

use super::{
    namespace::{ORG, ORG_SHARED, PROJECT, TENANT_TYPE},
    object::{Kind, Object},
};

/// DNS answers that are too long for UDP are asked for again by TCP.
pub fn default_deny(namespace: &str) -> Object {
    let system = json!({"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}});
    policy(
        namespace,
        "default-deny-all",
        json!({
            "podSelector": {},
            "policyTypes": ["Ingress", "Egress"],
            "egress": [{
                "to": [{"namespaceSelector": system}],
                "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}],
            }],
        }),
    )
}

pub fn allow_org_shared(namespace: &str, org: &OrgId) -> Object {
    policy(
        namespace,
        "allow-org-shared",
        json!({
            "podSelector": {},
            "policyTypes": ["Egress"],
            "egress": [{"to": [{"namespaceSelector": of_org(org, ORG_SHARED)}]}],
        }),
    )
}

/// The other end of it: a shared namespace is open to its organisation's projects and to nobody else.
pub fn allow_org_projects(namespace: &str, org: &OrgId) -> Object {
    policy(
        namespace,
        "allow-org-projects",
        json!({
            "podSelector": {},
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [
                {"podSelector": {}},
                {"namespaceSelector": of_org(org, PROJECT)},
            ]}],
        }),
    )
}

fn of_org(org: &OrgId, tenant_type: &str) -> Value {
    json!({"matchLabels": {ORG: org.as_str(), TENANT_TYPE: tenant_type}})
}

fn policy(namespace: &str, name: &str, spec: Value) -> Object {
    Object::new(Kind::NetworkPolicy, Some(namespace), name, json!({"spec": spec}))
}
