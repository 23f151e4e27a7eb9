//! The few kernel settings of the machine's own network namespace that a node cannot do without.

use std::{io, path::Path};

#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be set: {source}")]
pub struct SysctlError {
    path: &'static str,
    source: io::Error,
}

/// Routing for pods; addresses come from the platform, never from a router's announcement.
const SETTINGS: [(&str, &str); 4] = [
    ("/proc/sys/net/ipv4/ip_forward", "1"),
    ("/proc/sys/net/ipv4/conf/all/rp_filter", "0"),
    ("/proc/sys/net/ipv6/conf/all/accept_ra", "0"),
    ("/proc/sys/net/ipv6/conf/default/accept_ra", "0"),
];

pub fn set() -> Result<(), SysctlError> {
    for (path, value) in SETTINGS {
        // A kernel without IPv6 has nothing to be set.
        if Path::new(path).exists() {
            std::fs::write(path, value).map_err(|source| SysctlError { path, source })?;
        }
    }
    Ok(())
}
