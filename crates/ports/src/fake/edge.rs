//! The edge in memory: it keeps the newest configuration, also over a reboot.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use types::{ClusterId, Fault};

use super::{FakeWorld, world::State};
use crate::edge::{Edge, EdgeConfig, EdgeStatus, Visits};

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

fn answers(state: &State) -> Result<(), Fault> {
    let cause = "the edge does not run";
    match state.edge_runs {
        true => Ok(()),
        false => Err(Fault::unavailable("edge-unreachable", cause, "start it")),
    }
}

/// What no edge can serve; whoever renders it has a defect.
fn check(config: &EdgeConfig) -> Result<(), Fault> {
    let refuse = |cause: String| {
        Err(Fault::invalid(
            "edge-config-invalid",
            cause,
            "render routes that agree",
        ))
    };
    let mut networks = BTreeSet::new();
    if let Some(twice) = config
        .networks
        .iter()
        .find(|network| !networks.insert(&network.id))
    {
        return refuse(format!("network {} is given twice", twice.id));
    }
    let mut names = BTreeSet::new();
    for route in &config.routes {
        if !networks.contains(&route.network) {
            return refuse(format!(
                "{} leads to network {}, which is not given",
                route.server_name, route.network
            ));
        }
        if !names.insert(route.server_name.to_ascii_lowercase()) {
            return refuse(format!("the name {} is given twice", route.server_name));
        }
    }
    Ok(())
}

fn apply(state: &mut State, config: &EdgeConfig) -> Result<EdgeStatus, Fault> {
    answers(state)?;
    let in_force = state.edge.as_ref().map_or(0, |edge| edge.generation);
    if config.generation < in_force {
        let cause = format!("generation {in_force} is in force");
        return Err(Fault::conflict(
            crate::edge::STALE,
            cause,
            "plan again from what is stored now",
        ));
    }
    check(config)?;
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
        lacks_keys: config.lacks_keys(),
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
            answers(state)?;
            Ok(EdgeStatus {
                generation: state.edge.as_ref().map_or(0, |edge| edge.generation),
                lacks_keys: state.edge.as_ref().is_some_and(EdgeConfig::lacks_keys),
            })
        })
    }

    async fn visits(&self) -> Result<BTreeMap<ClusterId, Visits>, Fault> {
        self.world.look("edge.visits", |state| {
            answers(state)?;
            Ok(state.visits.clone())
        })
    }
}
