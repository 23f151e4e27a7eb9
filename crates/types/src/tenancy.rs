//! What the tenancy controller of a cluster is told: which projects have a namespace in it, with which limits. Written
//! by the platform into the control plane's machine, read there by `cloud-controllers`, which is why it is here.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    Bytes, ClusterId, Name, OrgId, ProjectId, Timestamp,
    grant::{GrantRole, Granted},
};

/// Where it is inside the control plane.
pub const TENANCY_PATH: &str = "/etc/k8shost/tenancy.json";

/// Who the controllers are in their cluster.
pub const CONTROLLERS_USER: &str = "system:plasmacloud-controllers";

/// What the controllers make last in a project's namespace: when it is there, all is.
pub const LAST_BINDING: &str = "project-viewer-binding";

/// The cluster role behind a grant of that role.
pub fn grant_role(role: GrantRole) -> String {
    format!("plasmacloud-grant-{role}")
}

/// What binds it: in a namespace, and of a viewer also in the whole cluster.
pub fn grant_binding(role: GrantRole) -> String {
    format!("{}-binding", grant_role(role))
}

pub fn project_namespace(project: &ProjectId) -> String {
    format!("project-{project}")
}

pub fn shared_namespace(org: &OrgId) -> String {
    format!("org-{org}-shared")
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tenancy {
    pub cluster: ClusterId,
    pub projects: Vec<TenantProject>,
    /// Organisations that have a shared namespace here.
    pub shared: Vec<OrgId>,
    /// What somebody was granted here: each once, whoever has it. Not given to clusters whose controllers may not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<BTreeSet<Granted>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TenantProject {
    pub id: ProjectId,
    pub org: OrgId,
    pub name: Name,
    pub created_by: String,
    pub pod_security: PodSecurity,
    pub limits: NamespaceLimits,
    /// The project has ended: its namespace goes at this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove_after: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PodSecurity {
    #[default]
    Baseline,
    Restricted,
}

impl PodSecurity {
    /// As Kubernetes calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Restricted => "restricted",
        }
    }
}

/// The numbers of the three quotas; the spec's by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamespaceLimits {
    pub requests_cpu: u32,
    pub requests_memory: Bytes,
    pub limits_cpu: u32,
    pub limits_memory: Bytes,
    pub volume_claims: u32,
    pub requests_storage: Bytes,
    pub pods: u32,
    pub services: u32,
    pub load_balancers: u32,
    pub config_maps: u32,
    pub secrets: u32,
}

impl Default for NamespaceLimits {
    fn default() -> Self {
        Self {
            requests_cpu: 10,
            requests_memory: Bytes::gib(20),
            limits_cpu: 20,
            limits_memory: Bytes::gib(40),
            volume_claims: 10,
            requests_storage: Bytes::gib(100),
            pods: 50,
            services: 20,
            load_balancers: 5,
            config_maps: 50,
            secrets: 50,
        }
    }
}
