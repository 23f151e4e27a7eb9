//! The veth pairs, as seen from the host: the uplink and a pair for each port. Pure, like the router's plan.

use ports::network::NetworkDesired;

use crate::{
    names::{Instance, UPLINK},
    uplink::Link,
    view::View,
};

/// The commands for the host. `router` is the view of the namespace, empty when there is none; an interface that is about
/// to be replaced is taken out of it.
pub(crate) fn plan(
    instance: &Instance,
    network: &NetworkDesired,
    uplink: &Link,
    mtu: u32,
    host: &View,
    router: &mut View,
) -> Vec<String> {
    let mut commands = Vec::new();
    let namespace = instance.namespace(&network.id);
    uplink_pair(&mut commands, instance, network, uplink, mtu, host, router);
    for port in &network.ports {
        let name = instance.port(&port.id);
        let alias = instance.port_alias(&network.id, &port.id);
        let on_host = host.links.get(&name);
        if !router.links.contains_key(&name) {
            // An end without its other half in the namespace is a leftover of something else.
            commands.extend(on_host.map(|_| format!("link del dev {name}")));
            commands.push(format!(
                "link add name {name} address {} mtu {mtu} type veth peer name {name} mtu {mtu} netns {namespace}",
                port.mac
            ));
            commands.push(format!("link set dev {name} alias {alias}"));
        } else if on_host.is_some_and(|link| link.ifalias.as_ref() != Some(&alias)) {
            commands.push(format!("link set dev {name} alias {alias}"));
        }
    }
    commands
}

fn uplink_pair(
    commands: &mut Vec<String>,
    instance: &Instance,
    network: &NetworkDesired,
    uplink: &Link,
    mtu: u32,
    host: &View,
    router: &mut View,
) {
    let name = instance.uplink(network.uplink);
    let alias = instance.uplink_alias(&network.id);
    let address = format!("{}/{}", uplink.host, uplink.range.prefix_len());
    let renumbered = host
        .links
        .values()
        .filter(|link| link.ifalias.as_ref() == Some(&alias) && link.ifname != name);
    for link in renumbered {
        commands.push(format!("link del dev {}", link.ifname));
        router.forget(UPLINK);
    }
    let mut present = host.links.get(&name);
    if !router.links.contains_key(UPLINK) {
        commands.extend(present.map(|_| format!("link del dev {name}")));
        commands.push(format!(
            "link add name {name} mtu {mtu} type veth peer name {UPLINK} mtu {mtu} netns {}",
            instance.namespace(&network.id)
        ));
        present = None;
    }
    if present.is_none_or(|link| link.ifalias.as_ref() != Some(&alias)) {
        commands.push(format!("link set dev {name} alias {alias}"));
    }
    if present.is_none() || !host.addresses.contains(&(name.clone(), address.clone())) {
        commands.push(format!("addr replace {address} dev {name}"));
    }
    if present.is_none_or(|link| !link.is_up()) {
        commands.push(format!("link set dev {name} up"));
    }
}
