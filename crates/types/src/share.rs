//! A cluster that several projects of one organisation use.

use serde::{Deserialize, Serialize};

use crate::{ClusterId, ShareId, Timestamp, tenant::Project};

/// One project's part in a cluster of another. It is kept for the cluster's life: a namespace goes only when the cluster
/// is told that its project has ended, never because it is not spoken of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterShare {
    pub id: ShareId,
    pub cluster: ClusterId,
    /// As it was last known: it may have been deleted, and its namespace still has its time.
    pub with: Project,
    /// Who shared it, as it is shown.
    pub by: String,
    pub created: Timestamp,
    /// It has ended: what is in its namespace goes at this time.
    pub remove_after: Option<Timestamp>,
}

impl ClusterShare {
    /// Its people reach the cluster.
    pub fn is_active(&self) -> bool {
        self.remove_after.is_none()
    }

    /// Something of theirs is in the cluster, or may be.
    pub fn has_a_stake(&self, now: Timestamp) -> bool {
        self.remove_after.is_none_or(|end| end > now)
    }
}
