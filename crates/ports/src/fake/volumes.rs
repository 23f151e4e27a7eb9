//! Volumes in memory. What a cluster's etcd holds is on one, and goes with it.

use std::path::PathBuf;

use async_trait::async_trait;
use types::{Fault, VolumeId, machine::Power, status::Observed};

use super::{FakeWorld, world::State};
use crate::{
    scan::{Found, FoundKind},
    volumes::{VolumeDesired, VolumeObserved, Volumes},
};

#[derive(Clone)]
pub struct FakeVolumes {
    world: FakeWorld,
}

impl FakeVolumes {
    pub(super) fn new(world: FakeWorld) -> Self {
        Self { world }
    }
}

fn ensure(state: &mut State, wanted: &VolumeDesired) -> Result<VolumeObserved, Fault> {
    if let Some(there) = state.volumes.get(&wanted.id) {
        return Ok(there.clone());
    }
    let made = VolumeObserved {
        source: PathBuf::from(format!("/fake/volumes/{}", wanted.id)),
        size: wanted.size,
    };
    state.volumes.insert(wanted.id.clone(), made.clone());
    state.effect("volumes.ensure", &wanted.id, "make");
    Ok(made)
}

fn remove(state: &mut State, id: &VolumeId) -> Result<(), Fault> {
    let user = state.machines.iter().find(|(_, machine)| {
        machine.power() == Power::On
            && machine
                .desired
                .volumes
                .iter()
                .any(|attached| attached.volume == *id)
    });
    if let Some((machine, _)) = user {
        let cause = format!("volume {id} is in use by machine {machine}");
        return Err(Fault::conflict("volume-in-use", cause, "end that machine first"));
    }
    if state.volumes.remove(id).is_some() {
        state.clusters.remove(id.as_str());
        state.effect("volumes.remove", id, "remove");
    }
    Ok(())
}

#[async_trait]
impl Volumes for FakeVolumes {
    async fn ensure(&self, volume: &VolumeDesired) -> Result<VolumeObserved, Fault> {
        self.world
            .act("volumes.ensure", volume.id.as_str(), |state| {
                ensure(state, volume)
            })
            .await
    }

    async fn observe(&self, id: &VolumeId) -> Observed<VolumeObserved> {
        match self
            .world
            .look("volumes.observe", |state| Ok(state.volumes.get(id).cloned()))
        {
            Ok(Some(seen)) => Observed::Present(seen),
            Ok(None) => Observed::Absent,
            Err(fault) => Observed::Unknown(fault.to_string()),
        }
    }

    async fn remove(&self, id: &VolumeId) -> Result<(), Fault> {
        self.world
            .act("volumes.remove", id.as_str(), |state| remove(state, id))
            .await
    }

    async fn scan(&self) -> Result<Vec<Found>, Fault> {
        self.world.look("volumes.scan", |state| {
            let file = |(id, volume): (&VolumeId, &VolumeObserved)| Found {
                what: FoundKind::File,
                name: volume.source.display().to_string(),
                owner: id.to_string(),
            };
            let planted = state
                .planted
                .iter()
                .filter(|found| found.what == FoundKind::LoopDevice)
                .cloned();
            Ok(state.volumes.iter().map(file).chain(planted).collect())
        })
    }
}
