//! An edge in memory. Where it leads is what its configuration says.

use async_trait::async_trait;

use super::town;
use crate::{
    conformance::edge::Bench,
    edge::{EdgeConfig, EdgeNetwork, SniRoute},
    fake::{FakeEdge, FakeWorld},
};

pub(super) struct Place {
    world: FakeWorld,
    networks: Vec<EdgeNetwork>,
}

impl Default for Place {
    fn default() -> Self {
        let networks = [town::town(), town::town()].map(|town| town.edge.networks[0].clone());
        Self {
            world: FakeWorld::new(),
            networks: networks.to_vec(),
        }
    }
}

#[async_trait]
impl Bench for Place {
    type Subject = FakeEdge;

    fn edge(&self) -> FakeEdge {
        self.world.edge()
    }

    fn config(&self, generation: u64, names: &[&str]) -> EdgeConfig {
        let route = |name: &&str| SniRoute {
            server_name: (*name).to_owned(),
            network: self.networks[0].id.clone(),
            backend: "10.0.0.10:6443".parse().unwrap(),
        };
        EdgeConfig {
            generation,
            routes: names.iter().map(route).collect(),
            networks: self.networks.clone(),
            ..town::town().edge
        }
    }

    async fn leads(&self, _: &EdgeConfig, name: &str) -> bool {
        let config = self.world.edge().config();
        config.is_some_and(|config| config.routes.iter().any(|route| route.server_name == name))
    }

    async fn kill(&self) {
        self.world.run_edge(false);
    }

    async fn restart(&self) {
        self.world.run_edge(true);
    }
}
