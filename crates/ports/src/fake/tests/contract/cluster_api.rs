//! The API of a cluster whose control plane and workers are machines in memory.

use std::sync::{
    Mutex,
    atomic::{AtomicU8, Ordering},
};

use async_trait::async_trait;
use serde_json::Value;

use super::town::{self, Town};
use crate::{
    Compute, Edge, Network, Volumes, cluster_api::ApiTarget, compute::Init, conformance::cluster_api::Bench,
    fake::FakeClusterApi, network::NetworkDesired,
};

pub(super) struct Place {
    town: Town,
    network: Mutex<NetworkDesired>,
    names: AtomicU8,
}

/// The plane runs; workers come when they register.
pub(super) async fn place() -> Place {
    let town = town::town();
    let world = &town.world;
    world.volumes().ensure(&town.volume).await.unwrap();
    world.network().apply(&town.network).await.unwrap();
    world.compute().apply(&town.machines[0]).await.unwrap();
    world.edge().apply(&town.edge).await.unwrap();
    Place {
        network: Mutex::new(town.network.clone()),
        names: AtomicU8::new(0),
        town,
    }
}

#[async_trait]
impl Bench for Place {
    type Subject = FakeClusterApi;

    fn api(&self) -> FakeClusterApi {
        self.town.world.cluster_api()
    }

    fn target(&self) -> ApiTarget {
        self.town.target.clone()
    }

    fn nobody(&self) -> ApiTarget {
        ApiTarget {
            server_name: "nobody".to_owned(),
            ..self.target()
        }
    }

    async fn register(&self, node: &str) {
        let world = &self.town.world;
        let (network, port) = {
            let mut network = self.network.lock().unwrap();
            let port = town::port(20 + self.names.fetch_add(1, Ordering::Relaxed));
            network.generation += 1;
            network.ports.push(port.clone());
            (network.clone(), port)
        };
        world.network().apply(&network).await.unwrap();
        let machine = town::machine(world, &port, node, Init::Systemd);
        world.compute().apply(&machine).await.unwrap();
    }

    fn trace(&self, object: &Value) -> Option<String> {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (kind, name) = (text("/kind"), text("/metadata/name"));
        let of_object = |effect: &String| effect.contains(&format!("{name}:"));
        let effects: Vec<String> = self.town.world.effects().into_iter().filter(of_object).collect();
        let key = format!("{kind}/{}/{name}", text("/metadata/namespace"));
        let held = self
            .api()
            .objects(&self.target())
            .unwrap()
            .get(&key)
            .map(Value::to_string);
        match kind {
            "Node" => Some(effects.join("\n")),
            _ => held.map(|held| format!("{held}\n{}", effects.join("\n"))),
        }
    }

    fn name(&self) -> String {
        format!("name-{}", self.names.fetch_add(1, Ordering::Relaxed))
    }
}
