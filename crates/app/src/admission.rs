//! What a cluster may be asked to be. Every refusal names its field, its cause and its remedy; nothing is ignored, and
//! all of it is told at once.

mod capacity;
mod groups;
mod honoured;
mod ranges;

use types::{Cidr, Fault, Findings, Name, cluster::ClusterSpec};

pub use capacity::{Demand, check as capacity};
pub use groups::size_of;

/// Everything that can be told from the spec, the cluster's name and its network's range.
pub fn check(name: &Name, spec: &ClusterSpec, network: Cidr) -> Result<(), Fault> {
    let mut found = Findings::default();
    honoured::check(spec, &mut found);
    ranges::check(spec, network, &mut found);
    groups::check(name, spec, &mut found);
    found.verdict()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let spec: ClusterSpec = serde_json::from_str(
            r#"{"engine":"k3s","host":"no","ranges":{"domain":"Bad_","nodePorts":"80-90"},
                "nodeGroups":{"a":{"minReplicas":3,"maxReplicas":1},"b":{"resources":{"cpu":"500m"}}}}"#,
        )
        .unwrap();
        let fault = check(&"dev".parse().unwrap(), &spec, "10.20.0.0/16".parse().unwrap()).unwrap_err();
        let fields: Vec<&str> = fault.fields.iter().map(|f| f.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "spec.engine",
                "spec.host",
                "spec.ranges.nodePorts",
                "spec.ranges.domain",
                "spec.nodeGroups.a.minReplicas",
                "spec.nodeGroups.b.resources.cpu",
            ]
        );
    }
}
