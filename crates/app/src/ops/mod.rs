//! What can be asked of the platform. Each request is checked, then written in one transaction with the task that will
//! bring it about; the answer is the operation to follow.

mod accept;
mod change_cluster;
mod clusters;
mod images;
mod instances;
mod kubeconfig;
mod make_cluster;
mod networks;
mod operations;
mod preview;
mod retry;

use std::sync::Arc;

pub use clusters::ClusterDetail;
pub use operations::Census;
pub use preview::{Change, Impact, PlanPreview, PlannedStep};

use crate::World;

/// A cheap handle.
#[derive(Clone)]
pub struct Ops {
    world: Arc<World>,
}

impl Ops {
    /// What a project has.
    pub async fn usage(&self, project: &types::ProjectId) -> Result<crate::quota::Usage, types::Fault> {
        crate::quota::used(&self.world, project).await
    }

    /// What all projects of an organisation have.
    pub async fn org_usage(&self, org: &types::OrgId) -> Result<crate::quota::Usage, types::Fault> {
        crate::quota::used_by_org(&self.world, org).await
    }

    pub fn new(world: Arc<World>) -> Self {
        Self { world }
    }
}
