//! Projects and their quotas on the wire.

use serde::{Deserialize, Serialize};
use types::{
    Bytes, Fault, Findings,
    quantity::QuantityError,
    tenant::{Project, Quota, Role},
};

use crate::moment;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ProjectCreate {
    pub name: String,
    #[serde(default)]
    pub quota: QuotaView,
}

/// What a project or an organisation may have at once; what is not given has no limit but the host's.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct QuotaView {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vcpu: Option<u32>,
    /// Such as `64Gi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loadbalancers: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ProjectView {
    pub id: String,
    pub name: String,
    pub org: String,
    /// The caller's own, in it.
    pub role: String,
    pub quota: QuotaView,
    pub created_by: String,
    pub created: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ProjectList {
    pub projects: Vec<ProjectView>,
    /// Cursor of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What a project has and may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct UsageView {
    pub project: String,
    pub usage: Vec<UsageLine>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct UsageLine {
    pub resource: String,
    pub used: String,
    /// Not there: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}

impl QuotaView {
    /// Of an organisation that nothing was said about: enough for a team, not enough to fill a platform.
    pub fn of_a_team() -> Self {
        Self {
            clusters: Some(10),
            vcpu: Some(64),
            memory: Some("128Gi".to_owned()),
            storage: Some("1Ti".to_owned()),
            loadbalancers: Some(20),
        }
    }
}

impl From<&Quota> for QuotaView {
    fn from(quota: &Quota) -> Self {
        let Quota {
            clusters,
            vcpu,
            memory,
            storage,
            loadbalancers,
        } = quota;
        Self {
            clusters: *clusters,
            vcpu: *vcpu,
            memory: memory.map(|bytes| bytes.to_string()),
            storage: storage.map(|bytes| bytes.to_string()),
            loadbalancers: *loadbalancers,
        }
    }
}

impl TryFrom<&QuotaView> for Quota {
    type Error = Fault;

    fn try_from(given: &QuotaView) -> Result<Self, Fault> {
        let mut found = Findings::default();
        let quota = given.parse("", &mut found);
        found.unless_any(quota)
    }
}

impl QuotaView {
    /// `within` is where it stands in the body, ending in a dot unless that is the whole of it.
    pub fn parse(&self, within: &str, found: &mut Findings) -> Quota {
        let mut bytes = |field: &str, given: &Option<String>| -> Option<Bytes> {
            let parsed = given.as_deref()?.parse();
            found.keep(parsed.map_err(|cause: QuantityError| {
                Fault::invalid("quota-invalid", cause.to_string(), "give a size such as 64Gi")
                    .at(format!("{within}{field}"))
            }))
        };
        let memory = bytes("memory", &self.memory);
        let storage = bytes("storage", &self.storage);
        Quota {
            clusters: self.clusters,
            vcpu: self.vcpu,
            memory,
            storage,
            loadbalancers: self.loadbalancers,
        }
    }
}

impl ProjectView {
    pub fn of(project: &Project, role: Role) -> Self {
        let Project {
            id,
            org,
            name,
            quota,
            created_by,
            created,
        } = project;
        Self {
            id: id.to_string(),
            name: name.to_string(),
            org: org.to_string(),
            role: role.to_string(),
            quota: QuotaView::from(quota),
            created_by: created_by.clone(),
            created: moment::to_wire(*created),
        }
    }
}
