//! Making a network be as desired: look, compare, change what differs, in an order in which a kill at any point leaves
//! nothing open and nothing that the next apply does not mend.
//!
//! 1. the generation is noted as accepted;
//! 2. the host's table is in force before there is an uplink;
//! 3. namespace and veth pairs are made, their ends in the namespace down;
//! 4. the firewall inside knows the ports before they come up;
//! 5. addresses, routes and rules; a port's alias last, which says that it is complete;
//! 6. the generation is noted as applied.

use std::fs;

use ports::network::{NetworkDesired, NetworkObserved};
use types::PortId;

use crate::{
    driver::Shared,
    error::{Error, look_again},
    firewall::{self, Firewall},
    host, links,
    namespace::{Presence, inside, presence},
    router::Router,
    sysctl, tool, uplink, validate,
    view::View,
};

pub(crate) fn apply(shared: &Shared, network: &NetworkDesired) -> Result<NetworkObserved, Error> {
    validate::check(network)?;
    let mut generations = shared.records.generations(&network.id)?;
    if network.generation < generations.accepted {
        return Err(Error::Stale {
            network: network.id.clone(),
            given: network.generation,
            in_force: generations.accepted,
        });
    }
    if network.generation != generations.accepted {
        generations.accepted = network.generation;
        shared.records.write_generations(&network.id, generations)?;
    }
    look_again(|| converge(shared, network))?;
    if generations.applied != network.generation {
        generations.applied = network.generation;
        shared.records.write_generations(&network.id, generations)?;
    }
    let mut ports: Vec<PortId> = network.ports.iter().map(|port| port.id.clone()).collect();
    ports.sort();
    Ok(NetworkObserved {
        generation: network.generation,
        namespace: shared.options.instance.namespace_path(&network.id),
        ports,
    })
}

fn converge(shared: &Shared, network: &NetworkDesired) -> Result<(), Error> {
    let options = &shared.options;
    let instance = &options.instance;
    let path = instance.namespace_path(&network.id);
    let firewall = Firewall::desired(instance, network);

    let (mut router_view, listed) = match presence(&path)? {
        Presence::Mounted => inside(&path, || {
            Ok((
                View::look()?,
                tool::nft_list(&["table", "inet", firewall::TABLE])?,
            ))
        })?,
        Presence::HalfMade => {
            fs::remove_file(&path).map_err(|source| Error::File {
                what: "removing",
                path: path.clone(),
                source,
            })?;
            (View::default(), None)
        }
        Presence::Absent => (View::default(), None),
    };
    let is_new = router_view.links.is_empty();

    // Held until the namespace exists: whoever removes the last network takes the host's table away.
    let host_guard = shared
        .host
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let host_view = View::look()?;
    let link = uplink::link(
        instance,
        options.uplinks,
        &shared.records,
        &host_view,
        &network.id,
        network.uplink,
    )?;
    host::ensure_table(instance, link.carve)?;
    let mut commands = Vec::new();
    if is_new {
        commands.push(format!("netns add {}", instance.namespace(&network.id)));
    }
    commands.extend(links::plan(
        instance,
        network,
        &link,
        options.mtu,
        &host_view,
        &mut router_view,
    ));
    tool::ip_batch(&commands)?;
    sysctl::host(&instance.uplink(network.uplink))?;
    drop(host_guard);

    let router = Router::desired(instance, network, &link);
    inside(&path, || {
        sysctl::router()?;
        if let Some(transaction) = firewall.plan(listed.as_deref()) {
            tool::nft_load(&transaction)?;
        }
        for port in router.ports.keys() {
            sysctl::port(port)?;
        }
        tool::ip_batch(&router.plan(&router_view))
    })
}
