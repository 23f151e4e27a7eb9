//! Kernel settings of a network namespace. `/proc/sys/net` shows the namespace of the thread that looks.

use std::{fs, io, path::PathBuf};

use crate::error::Error;

/// Writes a setting only where it differs, so that nothing is announced when nothing changes.
pub(crate) fn ensure(name: &str, value: &str) -> Result<(), Error> {
    let path = PathBuf::from("/proc/sys/net").join(name);
    let failed = |source: io::Error| Error::Sysctl {
        path: path.clone(),
        source,
    };
    if fs::read_to_string(&path).map_err(failed)?.trim() != value {
        fs::write(&path, value).map_err(failed)?;
    }
    Ok(())
}

/// The same for a part of the kernel that may be left out (IPv6).
fn ensure_if_there(name: &str, value: &str) -> Result<(), Error> {
    match ensure(name, value) {
        Err(Error::Sysctl { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// A namespace that routes. Sources are checked by the firewall, per port, hence no reverse-path filter.
pub(crate) fn router() -> Result<(), Error> {
    ensure("ipv4/ip_forward", "1")?;
    for scope in ["all", "default"] {
        ensure(&format!("ipv4/conf/{scope}/rp_filter"), "0")?;
        ensure(&format!("ipv4/conf/{scope}/send_redirects"), "0")?;
        ensure(&format!("ipv4/conf/{scope}/accept_redirects"), "0")?;
        ensure_if_there(&format!("ipv6/conf/{scope}/disable_ipv6"), "1")?;
    }
    Ok(())
}

/// A port: answer ARP for the neighbours, at once.
pub(crate) fn port(interface: &str) -> Result<(), Error> {
    ensure(&format!("ipv4/conf/{interface}/proxy_arp"), "1")?;
    ensure(&format!("ipv4/conf/{interface}/rp_filter"), "0")?;
    ensure(&format!("ipv4/conf/{interface}/send_redirects"), "0")?;
    ensure(&format!("ipv4/neigh/{interface}/proxy_delay"), "0")
}

/// The host routes between uplinks and the outside; it speaks no IPv6 with a network.
pub(crate) fn host(uplink: &str) -> Result<(), Error> {
    ensure("ipv4/ip_forward", "1")?;
    ensure_if_there(&format!("ipv6/conf/{uplink}/disable_ipv6"), "1")
}
