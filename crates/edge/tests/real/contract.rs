//! The edge keeps the port's contract: its own process, with servers in a namespace that its endpoint leads to.

use async_trait::async_trait;
use edge::EdgeClient;
use ports::{
    conformance::edge::{Bench, suite},
    edge::{EdgeConfig, SniRoute},
};
use tokio::sync::Mutex;

use crate::{
    backend::Backend,
    edge::{Edge, MACHINE},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keeps_the_contract() {
    suite(Served::start).await;
}

/// A server for each name, at a port of its own.
const NAMES: [(&str, u16, &str); 2] = [("one.k8s.test", 6443, "one"), ("two.k8s.test", 6444, "two")];

struct Served {
    edge: Mutex<Edge>,
    client: EdgeClient,
    config: EdgeConfig,
    backends: Vec<Backend>,
}

impl Served {
    async fn start() -> Self {
        let edge = Edge::start().await;
        let namespace = &edge.config.networks[0].namespace;
        let backends = NAMES.map(|(name, port, label)| Backend::start(namespace, port, name, label));
        Self {
            client: edge.client.clone(),
            config: edge.config.clone(),
            backends: backends.into(),
            edge: Mutex::new(edge),
        }
    }
}

fn number(name: &str) -> usize {
    NAMES
        .iter()
        .position(|(known, ..)| *known == name)
        .expect("a name of the suite")
}

#[async_trait]
impl Bench for Served {
    type Subject = EdgeClient;

    fn edge(&self) -> EdgeClient {
        self.client.clone()
    }

    fn config(&self, generation: u64, names: &[&str]) -> EdgeConfig {
        let route = |name: &&str| SniRoute {
            server_name: (*name).to_owned(),
            network: self.config.networks[0].id.clone(),
            backend: std::net::SocketAddrV4::new(MACHINE, NAMES[number(name)].1),
        };
        EdgeConfig {
            generation,
            routes: names.iter().map(route).collect(),
            ..self.config.clone()
        }
    }

    async fn leads(&self, config: &EdgeConfig, name: &str) -> bool {
        let (_, _, label) = NAMES[number(name)];
        let asked = self.backends[number(name)].ask(config.endpoint, name).await;
        asked.is_ok_and(|(_, greeted)| greeted == label)
    }

    async fn kill(&self) {
        self.edge.lock().await.kill();
    }

    async fn restart(&self) {
        self.edge.lock().await.restart().await;
    }
}
