//! Names outside the cluster: the platform's address in the network forwards them to the host's own resolvers, which a
//! machine could not reach where they listen on the host's loopback.

use ports::compute::MachineConfig;

use super::{NodeInput, text};

pub(super) fn add(input: &NodeInput<'_>, config: &mut MachineConfig) {
    config.files.push(text(
        "/etc/resolv.conf",
        format!("nameserver {}\n", input.platform),
    ));
}
