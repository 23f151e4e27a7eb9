//! Choices that are made once, in the transaction that accepts a request, and never again: addresses, ranges, numbers.

use std::{collections::BTreeSet, net::Ipv4Addr};

use types::{Cidr, Fault, network::Network};

/// Prefix of the range of pods that each node gets.
pub const NODE_PREFIX: u8 = 24;

/// The lowest address of a network that nobody has.
pub fn address(network: &Network, taken: &BTreeSet<Ipv4Addr>) -> Result<Ipv4Addr, Fault> {
    let first = u32::from(network.first_machine_address());
    let last = u32::from(network.cidr.last());
    (first..last)
        .map(Ipv4Addr::from)
        .find(|a| !taken.contains(a))
        .ok_or_else(|| {
            Fault::refused(
                "network-full",
                format!(
                    "the network '{}' ({}) has no free address",
                    network.name, network.cidr
                ),
                "delete machines in it, or use a VPC with a larger range",
            )
        })
}

/// The lowest range of a node that no other node of the cluster has.
pub fn pod_range(pods: Cidr, taken: &BTreeSet<Cidr>) -> Result<Cidr, Fault> {
    let all = (0u32..).map_while(|n| pods.nth_subnet(NODE_PREFIX, n));
    let mut free = all.filter(|range| !taken.contains(range));
    free.next().ok_or_else(|| {
        Fault::refused(
            "pod-range-full",
            format!("the pod range {pods} has no /{NODE_PREFIX} left for another node"),
            "create the cluster with a larger pod range",
        )
    })
}

/// The lowest number from `first` on that is not taken.
pub fn number(first: u32, taken: &BTreeSet<u32>) -> u32 {
    (first..).find(|n| !taken.contains(n)).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_one_is_taken() {
        assert_eq!(number(1, &BTreeSet::from([1, 2, 4])), 3);
        let pods: Cidr = "10.244.0.0/22".parse().unwrap();
        let taken = BTreeSet::from(["10.244.0.0/24".parse().unwrap()]);
        assert_eq!(pod_range(pods, &taken).unwrap().to_string(), "10.244.1.0/24");
        let all: BTreeSet<Cidr> = (0..4).map(|n| pods.nth_subnet(24, n).unwrap()).collect();
        assert_eq!(pod_range(pods, &all).unwrap_err().code, "pod-range-full");
    }
}
