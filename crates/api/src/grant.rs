//! Rights in one cluster on the wire.

use serde::{Deserialize, Serialize};
use types::grant::{ClusterGrant, Granted};

use crate::{cluster::ClusterPhase, moment};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterGrantCreate {
    /// The address of a person of the organisation, or a service account: its name in the cluster's project, or
    /// `sa-<name>@<project>`.
    pub who: String,
    /// `viewer`, `member` or `admin`.
    pub role: String,
    /// In this namespace alone, which may come later; in the whole cluster if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// What is not given is not looked at: all that somebody has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterGrantRevoke {
    pub who: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub enum GrantState {
    /// The cluster knows of it.
    InForce,
    /// There is no such namespace, or it has not been come to yet.
    Waiting,
    /// The cluster does not answer.
    Unknown,
}

impl GrantState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InForce => "in force",
            Self::Waiting => "waiting",
            Self::Unknown => "unknown",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterGrantView {
    pub id: String,
    pub who: String,
    /// Id of that user or service account.
    pub principal: String,
    pub role: String,
    /// None: in the whole cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    pub state: GrantState,
    pub by: String,
    pub created: String,
}

impl ClusterGrantView {
    pub fn of(grant: &ClusterGrant, state: GrantState) -> Self {
        Self {
            id: grant.id.to_string(),
            who: grant.principal_name.clone(),
            principal: grant.principal.clone(),
            role: grant.granted.role.to_string(),
            namespace: grant.granted.namespace.as_ref().map(ToString::to_string),
            state,
            by: grant.by.clone(),
            created: moment::to_wire(grant.created),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterGrantList {
    pub grants: Vec<ClusterGrantView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct GrantedView {
    pub role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

impl From<&Granted> for GrantedView {
    fn from(granted: &Granted) -> Self {
        Self {
            role: granted.role.to_string(),
            namespace: granted.namespace.as_ref().map(ToString::to_string),
        }
    }
}

/// A cluster of any project in which the caller was granted something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct GrantedClusterView {
    pub id: String,
    pub name: String,
    pub phase: ClusterPhase,
    pub version: String,
    pub org: String,
    pub project: String,
    pub project_id: String,
    pub granted: Vec<GrantedView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct GrantedClusterList {
    pub clusters: Vec<GrantedClusterView>,
}
