//! Machines of two worlds in memory, each with a network that the bench plugs their ports into.

use std::{
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicU8, Ordering},
    },
};

use async_trait::async_trait;
use types::{MachineId, machine::Power};

use super::{blindness, town};
use crate::{
    Compute, Network,
    compute::{Content, Init, MachineConfig, MachineDesired},
    conformance::compute::Bench,
    fake::{FakeCompute, FakeVolumes, FakeWorld, world::fnv},
    network::{NetworkDesired, PortDesired},
};

#[derive(Default)]
pub(super) struct Place {
    ours: Side,
    theirs: Side,
    addresses: AtomicU8,
    ports: Mutex<Vec<PortDesired>>,
}

struct Side {
    world: FakeWorld,
    network: Mutex<NetworkDesired>,
}

impl Default for Side {
    fn default() -> Self {
        let network = NetworkDesired {
            ports: Vec::new(),
            ..town::town().network
        };
        Self {
            world: FakeWorld::new(),
            network: Mutex::new(network),
        }
    }
}

impl Side {
    async fn plug(&self, port: PortDesired) {
        let network = {
            let mut network = self.network.lock().unwrap();
            network.generation += 1;
            network.ports.retain(|known| known.id != port.id);
            network.ports.push(port);
            network.clone()
        };
        self.world.network().apply(&network).await.unwrap();
    }
}

impl Place {
    fn port(&self, machine: &MachineDesired) -> PortDesired {
        let ports = self.ports.lock().unwrap();
        let own = ports.iter().find(|port| port.address == machine.nic.address);
        own.expect("a machine of this bench").clone()
    }
}

#[async_trait]
impl Bench for Place {
    type Subject = FakeCompute;
    type Volumes = FakeVolumes;

    fn compute(&self) -> FakeCompute {
        self.ours.world.compute()
    }

    fn volumes(&self) -> FakeVolumes {
        self.ours.world.volumes()
    }

    fn restarted(&self) -> FakeCompute {
        self.ours.world.compute()
    }

    fn neighbour(&self) -> FakeCompute {
        self.theirs.world.compute()
    }

    fn machine(&self) -> MachineDesired {
        let port = town::port(10 + self.addresses.fetch_add(1, Ordering::Relaxed));
        self.ports.lock().unwrap().push(port.clone());
        town::machine(&self.ours.world, &port, "m", Init::Keeper)
    }

    async fn plug(&self, machine: &MachineDesired) {
        self.ours.plug(self.port(machine)).await;
    }

    async fn plug_at_neighbour(&self, machine: &MachineDesired) {
        self.theirs.plug(self.port(machine)).await;
    }

    async fn unplug(&self, machine: &MachineDesired) {
        self.ours.world.unplug(&machine.id);
    }

    async fn cut_power(&self, machine: &MachineDesired) {
        self.ours.world.kill(&machine.id);
    }

    /// A fake writes nothing down.
    fn forget(&self, _: &MachineDesired) {}

    async fn half_make(&self, machine: &MachineDesired) {
        let off = MachineDesired {
            power: Power::Off,
            ..machine.clone()
        };
        self.compute().apply(&off).await.unwrap();
    }

    async fn read(&self, machine: &MachineDesired, path: &str) -> Option<String> {
        match self.compute().file(&machine.id, Path::new(path))? {
            Content::Text(text) => Some(text),
            Content::Secret(secret) => String::from_utf8(secret.expose().to_vec()).ok(),
            Content::HostFile(path) => Some(path.display().to_string()),
        }
    }

    fn digest(&self, config: &MachineConfig) -> String {
        config.digest(fnv)
    }

    fn blind(&self, _: &MachineId) {
        self.ours.world.fail_next("compute.observe", blindness());
    }

    fn restore(&self, _: &MachineId) {}
}
