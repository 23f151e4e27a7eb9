//! Networks of two worlds in memory.

use std::{collections::BTreeMap, sync::Mutex};

use async_trait::async_trait;
use types::{MachineId, NetworkId, PortId};

use super::{blindness, town};
use crate::{
    Compute, Network,
    compute::Init,
    conformance::network::Bench,
    fake::{FakeNetwork, FakeWorld},
    network::{NetworkDesired, PortDesired},
    scan::{Found, FoundKind},
};

#[derive(Default)]
pub(super) struct Place {
    world: FakeWorld,
    neighbour: FakeWorld,
    machines: Mutex<BTreeMap<PortId, MachineId>>,
}

#[async_trait]
impl Bench for Place {
    type Subject = FakeNetwork;

    fn driver(&self) -> FakeNetwork {
        self.world.network()
    }

    /// Whatever a fake knows is in its world.
    fn restarted(&self) -> FakeNetwork {
        self.world.network()
    }

    fn amnesiac(&self) -> FakeNetwork {
        self.world.network()
    }

    fn neighbour(&self) -> FakeNetwork {
        self.neighbour.network()
    }

    fn trace(&self, network: &NetworkId) -> String {
        let of_network = |effect: &String| effect.contains(network.as_str());
        self.world
            .effects()
            .into_iter()
            .filter(of_network)
            .collect::<Vec<_>>()
            .join("\n")
    }

    async fn occupy(&self, _: &NetworkDesired, port: &PortDesired) {
        let machine = town::machine(&self.world, port, "m", Init::Keeper);
        self.world.compute().apply(&machine).await.unwrap();
        self.machines.lock().unwrap().insert(port.id.clone(), machine.id);
    }

    fn kill(&self, port: &PortId) {
        self.world.kill(&self.machines.lock().unwrap()[port]);
    }

    /// All of it is there, but nobody was told.
    async fn half_make(&self, network: &NetworkDesired) {
        self.world.fail_next_after("network.apply", blindness());
        self.world.network().apply(network).await.unwrap_err();
    }

    fn plant(&self) -> Found {
        let found = Found {
            what: FoundKind::Interface,
            name: "v0".to_owned(),
            owner: String::new(),
        };
        self.world.plant(found.clone());
        found
    }

    fn unplant(&self) {
        self.world.clear_planted();
    }

    fn blind(&self, _: &NetworkId) {
        self.world.fail_next("network.observe", blindness());
    }

    fn restore(&self, _: &NetworkId) {}
}
