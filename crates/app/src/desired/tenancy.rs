//! Whose a cluster is, for the controller inside it that keeps namespaces for its tenants.

use serde_json::{Value, json};
use types::{
    Fault, OrgId,
    cluster::Cluster,
    tenancy::{LAST_BINDING, NamespaceLimits, PodSecurity, Tenancy, TenantProject, project_namespace},
};

use crate::World;

/// The organisation that exists from the start.
fn default_org() -> OrgId {
    "org-0000000000000000".parse().expect("a valid id")
}

/// A cluster is one project's: its namespace is the only one the platform keeps there.
pub async fn render(_world: &World, cluster: &Cluster) -> Result<Tenancy, Fault> {
    Ok(Tenancy {
        cluster: cluster.id.clone(),
        projects: vec![TenantProject {
            id: cluster.project.clone(),
            org: default_org(),
            name: "default".parse().expect("a valid name"),
            created_by: "plasmacloud".to_owned(),
            pod_security: PodSecurity::default(),
            limits: NamespaceLimits::default(),
            remove_after: None,
        }],
        shared: Vec::new(),
    })
}

/// Where the object is that stands for all of them.
pub fn last_made(cluster: &Cluster) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"namespace": project_namespace(&cluster.project), "name": LAST_BINDING},
    })
}
