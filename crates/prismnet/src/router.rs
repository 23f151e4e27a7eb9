//! The namespace as a router: which interfaces, addresses, routes and rules it should have, and the `ip` commands that
//! lead there from what is observed. Pure: what it returns is run without further choices.
//!
//! - A port's address is a host route to its interface. What of the network's range has no port is unreachable, so it
//!   neither leaks to the outside nor gets an ARP answer.
//! - Ranges behind ports (pods) are in a table per realm; the firewall marks each packet with the realm of the port it
//!   came from, and a rule leads the mark to that table.

use std::collections::{BTreeMap, BTreeSet};

use ports::network::NetworkDesired;
use types::Cidr;

use crate::{
    names::{Instance, UPLINK},
    uplink::Link as UplinkAddresses,
    view::{RULE_PRIORITY, Route, RouteKind, View},
};

/// Tables of realms begin here, beyond those the kernel names.
const TABLES: u32 = 0x1_0000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Router {
    /// Ports' interfaces, with their aliases.
    pub ports: BTreeMap<String, String>,
    addresses: BTreeSet<(String, String)>,
    routes: BTreeSet<Route>,
    rules: BTreeSet<u32>,
    gateway: String,
}

/// How the kernel prints a range: a single address without its prefix.
pub(crate) fn plain(range: Cidr) -> String {
    if range.prefix_len() == 32 {
        range.network().to_string()
    } else {
        range.to_string()
    }
}

impl Router {
    pub(crate) fn desired(instance: &Instance, network: &NetworkDesired, uplink: &UplinkAddresses) -> Self {
        let mut routes = BTreeSet::from([
            Route {
                kind: RouteKind::Unreachable,
                to: plain(network.cidr),
                ..Route::default()
            },
            Route {
                to: "default".to_owned(),
                via: Some(uplink.host.to_string()),
                dev: Some(UPLINK.to_owned()),
                ..Route::default()
            },
            // The link's own range, which the kernel routes as soon as the address is there.
            Route {
                to: plain(uplink.range),
                dev: Some(UPLINK.to_owned()),
                ..Route::default()
            },
        ]);
        let mut rules = BTreeSet::new();
        for port in &network.ports {
            let dev = Some(instance.port(&port.id));
            routes.insert(Route {
                to: port.address.to_string(),
                dev: dev.clone(),
                ..Route::default()
            });
            for range in &port.routes {
                let table = TABLES + port.realm;
                rules.insert(table);
                routes.insert(Route {
                    table: Some(table),
                    to: plain(*range),
                    via: Some(port.address.to_string()),
                    dev: dev.clone(),
                    ..Route::default()
                });
            }
        }
        Self {
            ports: network
                .ports
                .iter()
                .map(|port| {
                    (
                        instance.port(&port.id),
                        instance.port_alias(&network.id, &port.id),
                    )
                })
                .collect(),
            addresses: BTreeSet::from([
                ("lo".to_owned(), format!("{}/32", network.gateway)),
                ("lo".to_owned(), format!("{}/32", network.platform_address)),
                (
                    UPLINK.to_owned(),
                    format!("{}/{}", uplink.namespace, uplink.range.prefix_len()),
                ),
            ]),
            routes,
            rules,
            gateway: network.gateway.to_string(),
        }
    }

    /// The commands for the inside of the namespace, given that every wanted interface is there. A port's alias comes
    /// last: it says that the port is complete.
    pub(crate) fn plan(&self, observed: &View) -> Vec<String> {
        let mut commands = Vec::new();
        let stale: BTreeSet<&str> = self.stale(observed).collect();
        commands.extend(stale.iter().map(|name| format!("link del dev {name}")));
        for table in observed.rules.difference(&self.rules) {
            commands.push(format!("rule del pref {RULE_PRIORITY} lookup {table}"));
        }
        for route in observed.routes.difference(&self.routes) {
            if !route.dev.as_deref().is_some_and(|dev| stale.contains(dev)) {
                commands.push(format!("route del {}", words(route)));
            }
        }
        for (dev, address) in &observed.addresses {
            let ours = dev == "lo" || dev == UPLINK;
            if ours && address != "127.0.0.1/8" && !self.addresses.contains(&(dev.clone(), address.clone())) {
                commands.push(format!("addr del {address} dev {dev}"));
            }
        }
        for (dev, address) in self.addresses.difference(&observed.addresses) {
            commands.push(format!("addr replace {address} dev {dev} scope global"));
        }
        let links = ["lo", UPLINK]
            .into_iter()
            .chain(self.ports.keys().map(String::as_str));
        let down = links.filter(|name| !observed.links.get(*name).is_some_and(|link| link.is_up()));
        commands.extend(down.map(|name| format!("link set dev {name} up")));
        for route in self.routes.difference(&observed.routes) {
            commands.push(format!("route replace {}{}", words(route), self.extras(route)));
        }
        for table in self.rules.difference(&observed.rules) {
            let realm = table - TABLES;
            commands.push(format!(
                "rule add pref {RULE_PRIORITY} fwmark {realm}/0xffffffff lookup {table}"
            ));
        }
        for (name, alias) in &self.ports {
            if observed.links.get(name).and_then(|link| link.ifalias.as_ref()) != Some(alias) {
                commands.push(format!("link set dev {name} alias {alias}"));
            }
        }
        commands
    }

    /// Interfaces in the namespace that nobody wants.
    fn stale<'a>(&'a self, observed: &'a View) -> impl Iterator<Item = &'a str> {
        observed
            .links
            .keys()
            .map(String::as_str)
            .filter(|name| *name != "lo" && *name != UPLINK && !self.ports.contains_key(*name))
    }

    /// What a route needs when it is made, beyond what identifies it.
    fn extras(&self, route: &Route) -> String {
        match (route.kind, &route.via, route.dev.as_deref()) {
            (RouteKind::Unicast, Some(_), Some(dev)) if dev != UPLINK => " onlink".to_owned(),
            (RouteKind::Unicast, None, Some(dev)) if dev != UPLINK => format!(" src {}", self.gateway),
            _ => String::new(),
        }
    }
}

fn words(route: &Route) -> String {
    let kind = match route.kind {
        RouteKind::Unicast => "",
        RouteKind::Unreachable => "unreachable ",
    };
    let mut words = format!("{kind}{}", route.to);
    for (word, value) in [
        ("via", &route.via),
        ("dev", &route.dev),
        ("table", &route.table.map(|t| t.to_string())),
    ] {
        if let Some(value) = value {
            words.push_str(&format!(" {word} {value}"));
        }
    }
    words
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;
