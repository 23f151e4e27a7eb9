//! The whole desired state of one network: every machine on the books has a port, but for those of a cluster that is
//! being deleted.

use ports::network::{NetworkDesired, PortDesired};
use types::{
    Fault, NetworkId,
    cluster::Cluster,
    machine::{Machine, Role},
    network::Network,
};

use crate::{World, records};

/// Nothing when the network is not on the books.
pub async fn render(world: &World, id: &NetworkId) -> Result<Option<NetworkDesired>, Fault> {
    // The network is read first: its generation then never claims more than the ports that follow.
    let Some(network) = records::get::<Network>(&*world.store, id.as_str()).await? else {
        return Ok(None);
    };
    let mut ports = Vec::new();
    for cluster in records::children::<Cluster>(&*world.store, id.as_str()).await? {
        for machine in records::children::<Machine>(&*world.store, cluster.value.id.as_str()).await? {
            // A worker that leaves a living cluster is connected until it is gone.
            if !(machine.value.deleting && cluster.value.deleting) {
                ports.push(port(&machine.value, cluster.value.realm));
            }
        }
    }
    let network = network.value;
    Ok(Some(NetworkDesired {
        generation: network.generation,
        cidr: network.cidr,
        gateway: network.gateway(),
        platform_address: network.platform_address(),
        uplink: network.uplink,
        ports,
        id: network.id,
    }))
}

fn port(machine: &Machine, realm: u32) -> PortDesired {
    let routes = match &machine.role {
        Role::Worker { pods, .. } => vec![*pods],
        Role::ControlPlane { .. } => Vec::new(),
    };
    PortDesired {
        id: machine.port.clone(),
        mac: machine.mac,
        address: machine.address,
        routes,
        realm,
    }
}
