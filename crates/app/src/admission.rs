//! What a cluster may be asked to be. Every refusal names its field, its cause and its remedy; nothing is ignored.

mod capacity;
mod groups;
mod honoured;
mod ranges;

use types::{Cidr, Fault, Name, cluster::ClusterSpec};

pub use capacity::{Demand, check as capacity};
pub use groups::size_of;

/// Everything that can be told from the spec, the cluster's name and its network's range.
pub fn check(name: &Name, spec: &ClusterSpec, network: Cidr) -> Result<(), Fault> {
    honoured::check(spec)?;
    ranges::check(spec, network)?;
    groups::check(name, spec)
}
