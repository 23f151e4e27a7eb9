//! From what is there to what is wanted, in as few commands as it takes.

use super::*;
use ports::network::PortDesired;
use types::{NetworkId, PortId, machine::Mac};

fn network() -> NetworkDesired {
    let ids: [PortId; 2] = ["port-0000000000000001", "port-0000000000000002"].map(|id| id.parse().unwrap());
    let ports = ids.into_iter().zip([10, 11]).map(|(id, host)| PortDesired {
        mac: Mac::for_port(&id),
        id,
        address: std::net::Ipv4Addr::new(10, 20, 0, host),
        routes: vec![format!("10.244.{host}.0/24").parse().unwrap()],
        realm: 7,
    });
    NetworkDesired {
        id: "vpc-0000000000000001".parse::<NetworkId>().unwrap(),
        generation: 1,
        cidr: "10.20.0.0/16".parse().unwrap(),
        gateway: "10.20.0.1".parse().unwrap(),
        platform_address: "10.20.0.2".parse().unwrap(),
        uplink: 0,
        ports: ports.collect(),
    }
}

fn uplink() -> UplinkAddresses {
    UplinkAddresses {
        carve: "100.64.0.0/20".parse().unwrap(),
        range: "100.64.0.0/31".parse().unwrap(),
        host: "100.64.0.0".parse().unwrap(),
        namespace: "100.64.0.1".parse().unwrap(),
    }
}

/// What the kernel shows after a plan was carried out.
fn carried_out(router: &Router) -> View {
    let mut view = View {
        addresses: router.addresses.clone(),
        routes: router.routes.clone(),
        rules: router.rules.clone(),
        ..View::default()
    };
    let links = ["lo", UPLINK].map(|name| (name.to_owned(), None)).into_iter();
    for (name, alias) in links.chain(
        router
            .ports
            .iter()
            .map(|(name, alias)| (name.clone(), Some(alias.clone()))),
    ) {
        let link = crate::view::Link {
            ifname: name.clone(),
            flags: vec!["UP".to_owned()],
            ifalias: alias,
        };
        view.links.insert(name, link);
    }
    view
}

#[test]
fn from_nothing_every_port_is_completed_by_its_alias_last() {
    let instance = "a1b2c3".parse().unwrap();
    let router = Router::desired(&instance, &network(), &uplink());
    let plan = router.plan(&View::default());
    let name = instance.port(&network().ports[0].id);
    assert!(
        plan.contains(&format!("route replace 10.20.0.10 dev {name} src 10.20.0.1")),
        "{plan:#?}"
    );
    assert!(plan.contains(&format!(
        "route replace 10.244.10.0/24 via 10.20.0.10 dev {name} table 65543 onlink"
    )));
    assert!(plan.contains(&"rule add pref 1000 fwmark 7/0xffffffff lookup 65543".to_owned()));
    assert!(plan.contains(&"route replace unreachable 10.20.0.0/16".to_owned()));
    assert!(
        plan[plan.len() - 2..]
            .iter()
            .all(|command| command.contains(" alias "))
    );
}

#[test]
fn what_is_in_force_needs_no_command() {
    let router = Router::desired(&"a1b2c3".parse().unwrap(), &network(), &uplink());
    assert_eq!(router.plan(&carried_out(&router)), Vec::<String>::new());
}

#[test]
fn a_port_that_goes_takes_its_routes_along_and_leaves_the_others_alone() {
    let instance = "a1b2c3".parse().unwrap();
    let full = Router::desired(&instance, &network(), &uplink());
    let mut fewer = network();
    let gone = instance.port(&fewer.ports.remove(1).id);
    let plan = Router::desired(&instance, &fewer, &uplink()).plan(&carried_out(&full));
    assert_eq!(plan, [format!("link del dev {gone}")]);
}

#[test]
fn a_changed_range_is_replaced_and_an_empty_realm_loses_its_rule() {
    let instance = "a1b2c3".parse().unwrap();
    let full = Router::desired(&instance, &network(), &uplink());
    let mut changed = network();
    changed.ports.iter_mut().for_each(|port| port.routes.clear());
    let plan = Router::desired(&instance, &changed, &uplink()).plan(&carried_out(&full));
    assert_eq!(plan[0], "rule del pref 1000 lookup 65543");
    assert_eq!(
        plan.iter()
            .filter(|command| command.starts_with("route del 10.244."))
            .count(),
        2
    );
    assert_eq!(plan.len(), 3);
}
