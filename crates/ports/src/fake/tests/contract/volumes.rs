//! Volumes of two worlds in memory. A volume's content is what was put on it since it was last made.

use std::{collections::BTreeMap, path::PathBuf, sync::Mutex};

use async_trait::async_trait;
use types::VolumeId;

use super::blindness;
use crate::{
    Volumes,
    conformance::volumes::Bench,
    fake::{FakeVolumes, FakeWorld},
    volumes::{VolumeDesired, VolumeObserved},
};

#[derive(Default)]
pub(super) struct Place {
    world: FakeWorld,
    neighbour: FakeWorld,
    /// How often the volume had been made when it was written to.
    written: Mutex<BTreeMap<PathBuf, usize>>,
}

impl Place {
    fn makings(&self, volume: &VolumeObserved) -> usize {
        let id = volume.source.file_name().unwrap().to_string_lossy().into_owned();
        let made = format!("volumes.ensure {id}: make");
        self.world
            .effects()
            .into_iter()
            .filter(|effect| *effect == made)
            .count()
    }
}

#[async_trait]
impl Bench for Place {
    type Subject = FakeVolumes;

    fn volumes(&self) -> FakeVolumes {
        self.world.volumes()
    }

    fn restarted(&self) -> FakeVolumes {
        self.world.volumes()
    }

    fn neighbour(&self) -> FakeVolumes {
        self.neighbour.volumes()
    }

    fn write(&self, volume: &VolumeObserved) {
        let makings = self.makings(volume);
        self.written
            .lock()
            .unwrap()
            .insert(volume.source.clone(), makings);
    }

    fn is_written(&self, volume: &VolumeObserved) -> bool {
        self.written.lock().unwrap().get(&volume.source) == Some(&self.makings(volume))
    }

    fn is_whole(&self, volume: &VolumeObserved) -> bool {
        self.makings(volume) > 0
    }

    async fn half_make(&self, volume: &VolumeDesired) {
        self.world.fail_next("volumes.ensure", blindness());
        self.world.volumes().ensure(volume).await.unwrap_err();
    }

    fn blind(&self, _: &VolumeId) {
        self.world.fail_next("volumes.observe", blindness());
    }

    fn restore(&self, _: &VolumeId) {}
}
