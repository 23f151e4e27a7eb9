//! The edge: the process that carries traffic, so that `cloudd` does not. It receives its whole configuration with a
//! generation, keeps the last one on disk and goes on with it while `cloudd` is away.

use std::{
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    path::PathBuf,
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::{Fault, NetworkId};

/// Code of the refusal of a generation older than the one in force.
pub const STALE: &str = "edge-generation-stale";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeConfig {
    pub generation: u64,
    /// The one endpoint all clusters' APIs are reached at.
    pub endpoint: SocketAddr,
    pub routes: Vec<SniRoute>,
    pub networks: Vec<EdgeNetwork>,
    /// The cache of bundles that the registry serves.
    pub bundle_cache: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SniRoute {
    pub server_name: String,
    pub network: NetworkId,
    pub backend: SocketAddrV4,
}

/// What the edge serves inside one network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeNetwork {
    pub id: NetworkId,
    pub namespace: PathBuf,
    pub platform_address: Ipv4Addr,
    pub clients: Vec<RegistryClient>,
}

/// A machine that may read images: those of its cluster's bundle and those its tenant loaded. Known by its address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RegistryClient {
    pub address: Ipv4Addr,
    pub bundle: String,
    pub images: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeStatus {
    pub generation: u64,
}

/// Where the registry listens on a network's platform address.
pub const REGISTRY_PORT: u16 = 5080;

#[async_trait]
pub trait Edge: Send + Sync {
    /// Hands over the whole configuration and returns once it is in force.
    async fn apply(&self, config: &EdgeConfig) -> Result<EdgeStatus, Fault>;

    /// The generation in force, or why it cannot be told.
    async fn status(&self) -> Result<EdgeStatus, Fault>;
}
