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

use types::{Fault, ProjectId};

pub use clusters::ClusterDetail;
pub use operations::Census;
pub use preview::{Change, Impact, PlanPreview, PlannedStep};

use crate::{World, default_project};

/// A cheap handle.
#[derive(Clone)]
pub struct Ops {
    world: Arc<World>,
}

/// The name of the project that exists from the start.
const DEFAULT_PROJECT: &str = "default";

impl Ops {
    pub fn new(world: Arc<World>) -> Self {
        Self { world }
    }

    pub fn project(&self, reference: &str) -> Result<ProjectId, Fault> {
        let default = default_project();
        if reference == DEFAULT_PROJECT || reference == default.as_str() {
            return Ok(default);
        }
        Err(Fault::new(
            types::FaultKind::NotFound,
            "project-not-found",
            format!("there is no project '{reference}'"),
            format!("use the project '{DEFAULT_PROJECT}'"),
        ))
    }
}
