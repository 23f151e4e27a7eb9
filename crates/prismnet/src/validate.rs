//! What is refused before anything is touched: a desired state that the kernel would take in part.

use std::collections::HashSet;

use ports::network::NetworkDesired;

use crate::error::Error;

/// A realm is a connection-tracking zone, which has 16 bits.
const LARGEST_REALM: u32 = 0xffff;

pub(crate) fn check(network: &NetworkDesired) -> Result<(), Error> {
    let refuse = |reason: String| {
        Err(Error::Invalid {
            network: network.id.clone(),
            reason,
        })
    };
    let mut addresses = HashSet::from([network.gateway, network.platform_address]);
    let mut ids = HashSet::new();
    if addresses.len() != 2 || !addresses.iter().all(|address| network.cidr.contains(*address)) {
        return refuse("gateway and platform address are two addresses of the range".to_owned());
    }
    for port in &network.ports {
        if !network.cidr.contains(port.address) {
            return refuse(format!(
                "{} of {} is outside {}",
                port.address, port.id, network.cidr
            ));
        }
        if !addresses.insert(port.address) {
            return refuse(format!("{} of {} is taken", port.address, port.id));
        }
        if !ids.insert(&port.id) {
            return refuse(format!("{} is given twice", port.id));
        }
        if port.realm > LARGEST_REALM {
            return refuse(format!(
                "realm {} of {} is larger than {LARGEST_REALM}",
                port.realm, port.id
            ));
        }
    }
    let routes: Vec<_> = network
        .ports
        .iter()
        .flat_map(|port| port.routes.iter().map(move |range| (port, *range)))
        .collect();
    for (position, (port, range)) in routes.iter().enumerate() {
        if range.overlaps(network.cidr) {
            return refuse(format!(
                "{range} behind {} overlaps the network's {}",
                port.id, network.cidr
            ));
        }
        for (other, other_range) in &routes[..position] {
            if other.realm == port.realm && other_range.overlaps(*range) {
                return refuse(format!(
                    "{range} behind {} overlaps {other_range} behind {}",
                    port.id, other.id
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ports::network::PortDesired;
    use types::{NetworkId, PortId, machine::Mac};

    fn port(address: &str, routes: &[&str], realm: u32) -> PortDesired {
        let id = PortId::generate();
        PortDesired {
            mac: Mac::for_port(&id),
            id,
            address: address.parse().unwrap(),
            routes: routes.iter().map(|r| r.parse().unwrap()).collect(),
            realm,
        }
    }

    fn network(ports: Vec<PortDesired>) -> NetworkDesired {
        NetworkDesired {
            id: NetworkId::generate(),
            generation: 1,
            cidr: "10.20.0.0/16".parse().unwrap(),
            gateway: "10.20.0.1".parse().unwrap(),
            platform_address: "10.20.0.2".parse().unwrap(),
            uplink: 0,
            ports,
        }
    }

    #[test]
    fn equal_ranges_are_fine_in_two_realms_only() {
        let pods = ["10.244.0.0/24"];
        assert!(
            check(&network(vec![
                port("10.20.0.10", &pods, 1),
                port("10.20.0.11", &pods, 2)
            ]))
            .is_ok()
        );
        assert!(
            check(&network(vec![
                port("10.20.0.10", &pods, 1),
                port("10.20.0.11", &["10.244.0.0/16"], 1)
            ]))
            .is_err()
        );
    }

    #[test]
    fn what_cannot_work_is_refused() {
        for bad in [
            port("10.21.0.10", &[], 0),
            port("10.20.0.1", &[], 0),
            port("10.20.0.2", &[], 0),
            port("10.20.0.10", &["10.20.3.0/24"], 1),
            port("10.20.0.10", &[], 0x1_0000),
        ] {
            assert!(check(&network(vec![bad.clone()])).is_err(), "{bad:?}");
        }
        assert!(
            check(&network(vec![
                port("10.20.0.10", &[], 0),
                port("10.20.0.10", &[], 0)
            ]))
            .is_err()
        );
    }
}
