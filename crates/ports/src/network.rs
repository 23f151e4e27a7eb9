//! Networks (VPCs). The whole desired state of one network goes in at once, with a generation; no verbs.

use std::{net::Ipv4Addr, path::PathBuf};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::{Cidr, Fault, NetworkId, PortId, machine::Mac, status::Observed};

use crate::scan::Found;

/// Code of the refusal of a generation older than the one in force.
pub const STALE: &str = "network-generation-stale";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkDesired {
    pub id: NetworkId,
    /// Whoever applies refuses a generation older than the one in force.
    pub generation: u64,
    pub cidr: Cidr,
    pub gateway: Ipv4Addr,
    /// The platform's own services listen here, inside the network's namespace.
    pub platform_address: Ipv4Addr,
    /// Number of the link to the outside, unique on the host for this instance.
    pub uplink: u32,
    pub ports: Vec<PortDesired>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PortDesired {
    pub id: PortId,
    pub mac: Mac,
    pub address: Ipv4Addr,
    /// Further ranges behind this port: a node's pods. Routed only among ports of the same realm, so that two clusters
    /// in one network may use equal pod ranges.
    pub routes: Vec<Cidr>,
    pub realm: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkObserved {
    pub generation: u64,
    /// The namespace that routes for this network, for whoever listens or connects inside it.
    pub namespace: PathBuf,
    /// Ports whose interface exists now. A machine that died took its port's interface with it.
    pub ports: Vec<PortId>,
}

#[async_trait]
pub trait Network: Send + Sync {
    /// Makes the network be as desired. An older generation is a conflict; what no network can be is invalid, and
    /// neither changes anything.
    async fn apply(&self, network: &NetworkDesired) -> Result<NetworkObserved, Fault>;

    async fn observe(&self, id: &NetworkId) -> Observed<NetworkObserved>;

    async fn remove(&self, id: &NetworkId) -> Result<(), Fault>;

    /// The name of the host end of a port's interface, before a machine takes it.
    fn interface(&self, port: &PortId) -> String;

    /// Where the namespace of a network is, whether or not it exists yet.
    fn namespace(&self, id: &NetworkId) -> PathBuf;

    fn mtu(&self) -> u32;

    async fn scan(&self) -> Result<Vec<Found>, Fault>;
}
