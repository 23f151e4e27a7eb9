//! The way into one network, and what is behind it.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, SocketAddrV4},
    path::PathBuf,
    sync::Arc,
};

use iam::review::Refusal;
use iam::token::Claims;
use ports::edge::EdgeNetwork;
use tokio::sync::watch;
use types::{ClusterId, MachineId, NetworkId};

use super::PORT;
use crate::identity::{Desk, Door};

pub(crate) struct Gate {
    network: NetworkId,
    pub(super) namespace: PathBuf,
    pub(super) door: Arc<Door>,
    /// Closed when the network is taken out of the configuration.
    pub(super) alive: watch::Receiver<()>,
    instances: HashMap<MachineId, (ClusterId, Ipv4Addr)>,
}

/// Why nobody is let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shut {
    /// No instance of this network has that id.
    Unknown,
    Ticket(Refusal),
}

impl Gate {
    pub(crate) fn new(network: &EdgeNetwork, door: Arc<Door>, alive: watch::Receiver<()>) -> Self {
        let instances = network.instances.iter().map(|instance| {
            let place = (instance.cluster.clone(), instance.address);
            (instance.id.clone(), place)
        });
        Self {
            network: network.id.clone(),
            namespace: network.namespace.clone(),
            door,
            alive,
            instances: instances.collect(),
        }
    }

    /// Where the instance is, for the holder of a ticket for it. Whoever has no good one is not told what is here.
    pub(super) fn admit(
        &self,
        desk: &Desk,
        instance: &MachineId,
        ticket: &str,
    ) -> Result<(Claims, SocketAddrV4), Shut> {
        let (cluster, address) = self.instances.get(instance).ok_or(Shut::Unknown)?;
        let claims = desk
            .ticket(&self.network, cluster, instance, ticket)
            .map_err(Shut::Ticket)?;
        Ok((claims, SocketAddrV4::new(*address, PORT)))
    }
}
