//! A network (VPC): a range of addresses that belongs to one project.

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

use crate::{Cidr, Fault, Labels, Name, NetworkId, ProjectId, Timestamp};

/// The account every network of this platform's own infrastructure belongs to.
pub const HOST_ACCOUNT: &str = "host";
/// The host that every machine, network and volume is on until there are several.
pub const LOCAL_HOST: &str = "local";

const SMALLEST_PREFIX: u8 = 26;
const LARGEST_PREFIX: u8 = 8;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    pub id: NetworkId,
    pub project: ProjectId,
    pub account: String,
    pub host: String,
    pub name: Name,
    #[serde(default)]
    pub labels: Labels,
    pub cidr: Cidr,
    /// Rises with every change of anything in the network: ports, routes, deletion.
    pub generation: u64,
    /// The host-wide number of this network's link to the outside.
    pub uplink: u32,
    pub deleting: bool,
    pub created: Timestamp,
}

impl Network {
    /// The router's address: the first of the range.
    pub fn gateway(&self) -> Ipv4Addr {
        self.cidr.nth(1).expect("a network has at least 64 addresses")
    }

    /// The address at which the platform's own services are reached from inside.
    pub fn platform_address(&self) -> Ipv4Addr {
        self.cidr.nth(2).expect("a network has at least 64 addresses")
    }

    /// The first address a machine may get; those below are the platform's.
    pub fn first_machine_address(&self) -> Ipv4Addr {
        self.cidr.nth(10).expect("a network has at least 64 addresses")
    }
}

/// Ranges a network may not touch, because the host or the kernel uses them.
const RESERVED: [(&str, &str); 5] = [
    ("127.0.0.0/8", "loopback"),
    ("169.254.0.0/16", "link-local addresses"),
    ("224.0.0.0/4", "multicast"),
    (
        "100.64.0.0/10",
        "the platform's links between networks and the host",
    ),
    ("0.0.0.0/8", "\"this network\""),
];

pub fn check_range(cidr: Cidr) -> Result<(), Fault> {
    if !(LARGEST_PREFIX..=SMALLEST_PREFIX).contains(&cidr.prefix_len()) {
        return Err(Fault::unfit(
            "cidr-size",
            format!("{cidr} has a prefix of /{}", cidr.prefix_len()),
            format!("give a range between /{LARGEST_PREFIX} and /{SMALLEST_PREFIX}"),
        ));
    }
    for (range, use_) in RESERVED {
        let reserved: Cidr = range.parse().expect("the table is right");
        if reserved.overlaps(cidr) {
            return Err(Fault::unfit(
                "cidr-reserved",
                format!("{cidr} overlaps {range}, which is used for {use_}"),
                "choose a private range such as 10.20.0.0/16",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_and_odd_sizes_are_refused() {
        for bad in [
            "127.0.0.0/16",
            "169.254.0.0/20",
            "100.64.8.0/24",
            "10.0.0.0/27",
            "0.0.0.0/4",
            "240.0.0.0/7",
        ] {
            let Ok(cidr) = bad.parse::<Cidr>() else { continue };
            assert!(check_range(cidr).is_err(), "{bad}");
        }
        assert!(check_range("10.20.0.0/16".parse().unwrap()).is_ok());
    }
}
