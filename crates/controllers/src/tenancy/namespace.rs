//! The namespaces of projects and organisations: whose they are, and how strictly their pods are looked at.

use serde_json::{Map, Value, json};
use types::{
    OrgId,
    tenancy::{PodSecurity, TenantProject},
};

use super::object::{Kind, Object};

pub const ORG: &str = "plasmacloud.io/org-id";
pub const TENANT_TYPE: &str = "plasmacloud.io/tenant-type";
pub const PROJECT: &str = "project";
pub const ORG_SHARED: &str = "org-shared";

pub fn of_project(name: &str, project: &TenantProject) -> Object {
    let mut labels = labels(&project.org, PROJECT, project.pod_security);
    labels.insert("plasmacloud.io/project-id".to_owned(), project.id.as_str().into());
    let annotations = json!({
        "plasmacloud.io/project-name": project.name.as_str(),
        "plasmacloud.io/created-by": project.created_by,
    });
    let metadata = json!({"labels": labels, "annotations": annotations});
    Object::new(Kind::Namespace, None, name, json!({"metadata": metadata}))
}

pub fn of_shared(name: &str, org: &OrgId, security: PodSecurity) -> Object {
    let metadata = json!({"labels": labels(org, ORG_SHARED, security)});
    Object::new(Kind::Namespace, None, name, json!({"metadata": metadata}))
}

/// Enforcement looks at pods only; warnings also at what makes pods, so that whoever applies a deployment is told at
/// once why it will have none. What would not pass the strictest profile is noted in the audit log.
fn labels(org: &OrgId, tenant_type: &str, security: PodSecurity) -> Map<String, Value> {
    let level = security.as_str();
    let pairs = [
        (ORG, org.as_str()),
        (TENANT_TYPE, tenant_type),
        ("pod-security.kubernetes.io/enforce", level),
        ("pod-security.kubernetes.io/warn", level),
        ("pod-security.kubernetes.io/audit", "restricted"),
    ];
    pairs
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value.into()))
        .collect()
}
