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
    fake::{FakeKeyring, FakeVault, MemoryStore},
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

    async fn vault(&self) -> FakeVault {
        FakeVault { key: 1 }
    }

    async fn restarted(&self) -> FakeVault {
        self.vault().await
    }

    async fn neighbour(&self) -> FakeVault {
        FakeVault { key: 2 }
    }
}

#[tokio::test]
async fn vault() {
    conformance::vault::suite(async || Vaults).await;
}

struct Rotated(FakeKeyring);

impl conformance::rotation::Bench for Rotated {
    type Subject = FakeKeyring;

    async fn vault(&self) -> FakeKeyring {
        self.0.clone()
    }

    async fn restarted(&self) -> FakeKeyring {
        self.0.restarted()
    }
}

#[tokio::test]
async fn rotation() {
    conformance::rotation::suite(async || Rotated(FakeKeyring::with_key(7))).await;
}
