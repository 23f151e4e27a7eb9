//! Whether a process may start. On loopback a connection is accepted or refused at once, so asking blocks nobody.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::Duration,
};

use types::keeper::Gate;

/// How often a closed gate is looked at again.
pub const INTERVAL: Duration = Duration::from_millis(20);

pub fn all_open(gates: &[Gate]) -> bool {
    gates.iter().all(|gate| match gate {
        Gate::TcpPort(port) => {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, *port));
            TcpStream::connect_timeout(&address, INTERVAL).is_ok()
        }
    })
}
