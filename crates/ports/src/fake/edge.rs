//! The edge in memory: it keeps the newest configuration, also over a reboot.

use async_trait::async_trait;
use types::Fault;

use super::{FakeWorld, world::State};
use crate::edge::{Edge, EdgeConfig, EdgeStatus};

#[derive(Clone)]
pub struct FakeEdge {
    world: FakeWorld,
}

impl FakeEdge {
    pub(super) fn new(world: FakeWorld) -> Self {
        Self { world }
    }

    /// What is in force now.
    pub fn config(&self) -> Option<EdgeConfig> {
        self.world
            .look("edge.config", |state| Ok(state.edge.clone()))
            .ok()
            .flatten()
    }
}

fn apply(state: &mut State, config: &EdgeConfig) -> Result<EdgeStatus, Fault> {
    let in_force = state.edge.as_ref().map_or(0, |edge| edge.generation);
    if config.generation < in_force {
        let cause = format!("generation {in_force} is in force");
        return Err(Fault::conflict(
            "edge-generation-old",
            cause,
            "plan again from what is stored now",
        ));
    }
    if state.edge.as_ref() != Some(config) {
        let what = format!(
            "{} routes, {} networks",
            config.routes.len(),
            config.networks.len()
        );
        state.edge = Some(config.clone());
        state.effect("edge.apply", config.generation, &what);
    }
    Ok(EdgeStatus {
        generation: config.generation,
    })
}

#[async_trait]
impl Edge for FakeEdge {
    async fn apply(&self, config: &EdgeConfig) -> Result<EdgeStatus, Fault> {
        self.world
            .act("edge.apply", &config.generation.to_string(), |state| {
                apply(state, config)
            })
            .await
    }

    async fn status(&self) -> Result<EdgeStatus, Fault> {
        self.world.look("edge.status", |state| {
            Ok(EdgeStatus {
                generation: state.edge.as_ref().map_or(0, |edge| edge.generation),
            })
        })
    }
}
