//! The ruleset as it is handed to nft.

use super::*;
use ports::network::PortDesired;
use types::{NetworkId, PortId, machine::Mac};

fn network(ports: usize) -> NetworkDesired {
    let ports = (0..ports).map(|n| {
        let id: PortId = format!("port-000000000000000{n}").parse().unwrap();
        PortDesired {
            mac: Mac::for_port(&id),
            id,
            address: std::net::Ipv4Addr::new(10, 20, 0, 10 + n as u8),
            routes: vec![format!("10.244.{n}.0/24").parse().unwrap()],
            realm: 7,
        }
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

/// A listing as `nft -j` gives it, for one port with one range.
fn listing(firewall: &Firewall, name: &str) -> Vec<Value> {
    let range = serde_json::json!({"prefix": {"addr": "10.244.0.0", "len": 24}});
    serde_json::from_value(serde_json::json!([
        {"chain": {"name": firewall.revision()}},
        {"set": {"name": "sources", "elem": [{"concat": [name, "10.20.0.10"]}, {"concat": [name, range]}]}},
        {"map": {"name": "realms", "elem": [[name, 7]]}},
        {"map": {"name": "zones", "elem": [[name, 7]]}},
        {"set": {"name": "ranges", "elem": [{"concat": [7, range]}]}},
        {"set": {"name": "members", "elem": [{"concat": [7, name]}]}},
    ]))
    .unwrap()
}

#[test]
fn what_is_listed_as_desired_needs_no_transaction() {
    let instance: Instance = "a1b2c3".parse().unwrap();
    let firewall = Firewall::desired(&instance, &network(1));
    let listed = listing(&firewall, &instance.port(&network(1).ports[0].id));
    assert_eq!(firewall.plan(Some(&listed)), None);
}

#[test]
fn another_port_only_adds_elements() {
    let instance: Instance = "a1b2c3".parse().unwrap();
    let listed = listing(
        &Firewall::desired(&instance, &network(1)),
        &instance.port(&network(1).ports[0].id),
    );
    let transaction = Firewall::desired(&instance, &network(2))
        .plan(Some(&listed))
        .unwrap();
    assert!(
        transaction.lines().all(|line| line.starts_with("add element")),
        "{transaction}"
    );
    assert_eq!(transaction.lines().count(), 5);
}

#[test]
fn other_rules_replace_the_table_in_the_same_transaction() {
    let instance: Instance = "a1b2c3".parse().unwrap();
    let listed = listing(
        &Firewall::desired(&instance, &network(1)),
        &instance.port(&network(1).ports[0].id),
    );
    let mut moved = network(1);
    moved.cidr = "10.20.0.0/17".parse().unwrap();
    let transaction = Firewall::desired(&instance, &moved).plan(Some(&listed)).unwrap();
    assert!(transaction.contains("delete table inet prismnet"));
    assert!(transaction.contains("add element inet prismnet sources"));
}
