//! Every fake keeps its port's contract: the suites that the real adapters pass, on one host in memory.

mod cluster_api;
mod compute;
mod edge;
mod network;
mod shelf;
mod volumes;

use types::Fault;

use super::town;
use crate::{
    conformance,
    fake::{FakeVault, MemoryStore},
};

fn blindness() -> Fault {
    Fault::unavailable("blind", "the test does not let it see", "none")
}

#[tokio::test]
async fn store() {
    conformance::store::suite(async || MemoryStore::new()).await;
}

#[tokio::test]
async fn network() {
    conformance::network::suite(async || network::Place::default()).await;
}

#[tokio::test]
async fn volumes() {
    conformance::volumes::suite(async || volumes::Place::default()).await;
}

#[tokio::test]
async fn compute() {
    conformance::compute::suite(async || compute::Place::default()).await;
}

#[tokio::test]
async fn edge() {
    conformance::edge::suite(async || edge::Place::default()).await;
}

#[tokio::test]
async fn images() {
    conformance::images::suite(async || shelf::Loaded::default()).await;
}

#[tokio::test]
async fn bundles() {
    conformance::bundles::suite(async || shelf::Built::default()).await;
}

#[tokio::test]
async fn cluster_api() {
    conformance::cluster_api::suite(cluster_api::place).await;
}

struct Vaults;

impl conformance::vault::Bench for Vaults {
    type Subject = FakeVault;

    fn vault(&self) -> FakeVault {
        FakeVault { key: 1 }
    }

    fn restarted(&self) -> FakeVault {
        self.vault()
    }

    fn neighbour(&self) -> FakeVault {
        FakeVault { key: 2 }
    }
}

#[tokio::test]
async fn vault() {
    conformance::vault::suite(async || Vaults).await;
}
