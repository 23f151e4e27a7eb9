//! In-memory stand-ins for every port, for tests that fail, kill and resume.
//!
//! `FakeWorld` is one host: machines, networks, volumes, the edge and the clusters' APIs see one another in it, as the
//! real ones do. `MemoryStore` keeps what a platform remembers. Both outlive the workers of a test, so that dropping
//! the workers and making new ones is a restart; `KillSwitch` says at which call they die.

mod bundles;
mod clock;
mod cluster_api;
mod compute;
mod edge;
mod images;
mod keyring;
mod kill;
mod log;
mod network;
mod store;
mod tasks;
mod vault;
mod volumes;
mod webhook;
mod world;

#[cfg(test)]
mod tests;

pub use bundles::FakeBundles;
pub use clock::ManualClock;
pub use cluster_api::FakeClusterApi;
pub use compute::FakeCompute;
pub use edge::FakeEdge;
pub use images::FakeImages;
pub use keyring::FakeKeyring;
pub use kill::{KillSwitch, Moment};
pub use network::FakeNetwork;
pub use store::MemoryStore;
pub use vault::FakeVault;
pub use volumes::FakeVolumes;
pub use world::FakeWorld;
