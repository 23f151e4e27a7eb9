//! The cluster's ranges of addresses: large enough, and none overlapping another.

use types::{Cidr, Fault, Findings, cluster::ClusterSpec, network::check_range};

use crate::allocate::NODE_PREFIX;

pub fn check(spec: &ClusterSpec, network: Cidr, found: &mut Findings) {
    let ranges = &spec.ranges;
    // The apiserver refuses more than 20 bits of services.
    for (field, range, largest, smallest) in [
        ("spec.ranges.pods", ranges.pods, 8, NODE_PREFIX),
        ("spec.ranges.services", ranges.services, 12, 26),
    ] {
        let fits = check_range(range).and_then(|()| size(range, largest, smallest));
        found.keep(fits.map_err(|fault| fault.at(field)));
    }
    for (one, a, other, b) in [
        (
            "spec.ranges.pods",
            ranges.pods,
            "ranges.services",
            ranges.services,
        ),
        ("spec.ranges.pods", ranges.pods, "the VPC's range", network),
        (
            "spec.ranges.services",
            ranges.services,
            "the VPC's range",
            network,
        ),
    ] {
        if a.overlaps(b) {
            found.note(
                Fault::unfit(
                    "cidr-overlap",
                    format!("{a} overlaps {other} {b}"),
                    "choose ranges that do not overlap, or a VPC with another range",
                )
                .at(one),
            );
        }
    }
    let ports = ranges.node_ports;
    if ports.first < 1024 {
        found.note(
            Fault::unfit(
                "node-ports-reserved",
                format!("begins at {}, among the nodes' own ports", ports.first),
                "begin at 1024 or above; the default is 30000-32767",
            )
            .at("spec.ranges.nodePorts"),
        );
    }
    found.keep(domain(&ranges.domain));
}

fn size(range: Cidr, largest: u8, smallest: u8) -> Result<(), Fault> {
    if (largest..=smallest).contains(&range.prefix_len()) {
        return Ok(());
    }
    Err(Fault::unfit(
        "cidr-size",
        format!("{range} has a prefix of /{}", range.prefix_len()),
        format!("give a range between /{largest} and /{smallest}"),
    ))
}

fn domain(domain: &str) -> Result<(), Fault> {
    let label = |l: &str| {
        !l.is_empty()
            && l.len() <= 63
            && l.starts_with(|c: char| c.is_ascii_lowercase())
            && l.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !l.ends_with('-')
    };
    if domain.len() <= 100 && domain.split('.').all(label) {
        return Ok(());
    }
    Err(Fault::unfit(
        "domain-invalid",
        format!("'{domain}' is not a domain name"),
        "give a name such as cluster.local",
    )
    .at("spec.ranges.domain"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(spec: &str, network: &str) -> Option<String> {
        let spec: ClusterSpec = serde_json::from_str(spec).unwrap();
        let mut found = Findings::default();
        check(&spec, network.parse().unwrap(), &mut found);
        found.verdict().err().map(|f| f.code.into_owned())
    }

    #[test]
    fn overlaps_and_odd_sizes_are_refused() {
        assert_eq!(fault("{}", "10.20.0.0/16"), None);
        assert_eq!(fault("{}", "10.244.8.0/24").as_deref(), Some("cidr-overlap"));
        assert_eq!(fault("{}", "10.100.0.0/16").as_deref(), Some("cidr-overlap"));
        assert_eq!(
            fault(r#"{"ranges":{"pods":"10.96.0.0/16"}}"#, "10.20.0.0/16").as_deref(),
            Some("cidr-overlap")
        );
        assert_eq!(
            fault(r#"{"ranges":{"pods":"10.9.0.0/25"}}"#, "10.20.0.0/16").as_deref(),
            Some("cidr-size")
        );
        assert_eq!(
            fault(r#"{"ranges":{"services":"11.0.0.0/8"}}"#, "10.20.0.0/16").as_deref(),
            Some("cidr-size")
        );
        assert_eq!(
            fault(r#"{"ranges":{"nodePorts":"80-90"}}"#, "10.20.0.0/16").as_deref(),
            Some("node-ports-reserved")
        );
        assert_eq!(
            fault(r#"{"ranges":{"domain":"Bad_"}}"#, "10.20.0.0/16").as_deref(),
            Some("domain-invalid")
        );
    }
}
