//! The wiring of `cloudd`: the one place that knows which adapter serves which port.

use std::sync::Arc;

use tokio::task::JoinSet;
use types::Fault;

use crate::{Surface, config::Config, router::Stop};

/// What runs behind the API.
pub struct Platform {
    pub surface: Arc<dyn Surface>,
    /// Workers and reconcilers; each ends by itself soon after `stop` turns true.
    pub background: JoinSet<()>,
}

/// Called once, with the state directory prepared and locked and the API's address bound, but nothing served yet.
pub async fn build(config: &Config, stop: Stop) -> Result<Platform, Fault> {
    let _ = (config, stop);
    Err(Fault::internal("not-wired", "this build of cloudd has no platform behind its API"))
}
