//! The edge: the process that carries traffic, so that `cloudd` does not. It receives its whole configuration with a
//! generation, keeps the last one on disk and goes on with it while `cloudd` is away.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    path::PathBuf,
};

use async_trait::async_trait;
use iam::review::Snapshot;
use serde::{Deserialize, Serialize};
use types::{ClusterId, Fault, MachineId, NetworkId, Secret};

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
    /// What decides about tokens that clusters ask about. Nothing before the platform has certificates for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<EdgeIdentity>,
}

impl EdgeConfig {
    /// Whether a certificate is there without its key.
    pub fn lacks_keys(&self) -> bool {
        let serving = self
            .networks
            .iter()
            .filter_map(|network| network.serving.as_ref());
        serving.into_iter().any(|serving| serving.key_pem.is_none())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeIdentity {
    pub snapshot: Snapshot,
    /// Who signed the certificates that clusters show, in PEM.
    pub authorities: String,
    /// What of it was revoked: a list for each authority, in PEM.
    pub revocations: Vec<String>,
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
    /// What tunnels lead to, for whoever holds a ticket.
    #[serde(default)]
    pub instances: Vec<EdgeInstance>,
    /// With what the edge serves TokenReview in this network; without it, it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serving: Option<Serving>,
}

/// A machine that tenants see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeInstance {
    pub id: MachineId,
    pub cluster: ClusterId,
    pub address: Ipv4Addr,
}

/// A server's certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Serving {
    /// The certificate and the authority that signed it.
    pub chain_pem: String,
    /// Never written with the rest, neither to a disk nor anywhere else. The edge has none after the host was started
    /// anew, and says so.
    #[serde(skip)]
    pub key_pem: Option<Secret>,
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
    /// It has certificates without their keys, and must be told again.
    #[serde(default)]
    pub lacks_keys: bool,
}

/// What names of tunnels end in; no cluster is called so.
pub const TUNNELS: &str = ".ssh.plasmacloud.internal";

/// The name under which the endpoint takes tunnels into a network.
pub fn tunnel_name(network: &NetworkId) -> String {
    format!("{network}{TUNNELS}")
}

/// What came from one cluster's apiserver since the edge was started.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Visits {
    /// Questions that were answered.
    pub questions: u64,
    /// Serial number of the certificate that was shown last.
    pub latest: String,
    /// Of those under which connections are open now.
    pub open: BTreeSet<String>,
}

/// Where the registry listens on a network's platform address.
pub const REGISTRY_PORT: u16 = 5080;
/// Where TokenReview is answered there, and under which name.
pub const IDENTITY_PORT: u16 = 3000;
pub const IDENTITY_NAME: &str = "iam-server";

#[async_trait]
pub trait Edge: Send + Sync {
    /// Hands over the whole configuration and returns once it is in force.
    async fn apply(&self, config: &EdgeConfig) -> Result<EdgeStatus, Fault>;

    /// The generation in force, or why it cannot be told.
    async fn status(&self) -> Result<EdgeStatus, Fault>;

    /// Which clusters came to ask about tokens, and how. One that has not is not in it.
    async fn visits(&self) -> Result<BTreeMap<ClusterId, Visits>, Fault>;
}
