//! Shared clusters on the wire.

use serde::{Deserialize, Serialize};
use types::share::ClusterShare;

use crate::{cluster::ClusterView, moment};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterShareCreate {
    /// Another project of the same organisation, by name or id.
    pub project: String,
}

/// A project that has a namespace in a cluster of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterShareView {
    pub project: String,
    pub project_id: String,
    pub namespace: String,
    pub by: String,
    pub created: String,
    /// It has ended; what is in the namespace goes at this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove_after: Option<String>,
}

impl From<&ClusterShare> for ClusterShareView {
    fn from(share: &ClusterShare) -> Self {
        Self {
            project: share.with.name.to_string(),
            project_id: share.with.id.to_string(),
            namespace: types::tenancy::project_namespace(&share.with.id),
            by: share.by.clone(),
            created: moment::to_wire(share.created),
            remove_after: share.remove_after.map(moment::to_wire),
        }
    }
}

/// A cluster of another project that this one may use, and not change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SharedClusterView {
    pub cluster: ClusterView,
    /// Whose it is.
    pub project: String,
    pub project_id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SharedClusterList {
    pub clusters: Vec<SharedClusterView>,
}
