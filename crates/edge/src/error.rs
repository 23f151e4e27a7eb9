//! What can go wrong when a configuration is put in force, and how it reads to whoever pushed it.

use std::{io, net::SocketAddr, path::PathBuf};

use ports::edge::STALE;
use types::{Fault, FaultKind, NetworkId};

use crate::identity::TlsError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("generation {given} is older than {in_force}, which is in force")]
    Stale { given: u64, in_force: u64 },
    #[error("the route for {server_name} leads to network {network}, which the configuration does not have")]
    UnknownNetwork { server_name: String, network: NetworkId },
    #[error("{what} is given twice")]
    Twice { what: String },
    #[error("the certificates for network {network} cannot be served with")]
    Certificates { network: NetworkId, source: TlsError },
    #[error("{address} is in use by {holder}")]
    PortInUse { address: SocketAddr, holder: String },
    #[error("listening on {address} failed")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("{what} {path} failed")]
    File {
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("another edge runs on {path}")]
    AlreadyRunning { path: PathBuf },
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let source = std::error::Error::source(&error)
            .map(|source| format!(": {source}"))
            .unwrap_or_default();
        let cause = format!("{error}{source}");
        match error {
            Error::Stale { .. } => Fault::conflict(
                STALE,
                cause,
                "read the desired state again and push what is newest",
            ),
            Error::UnknownNetwork { .. } | Error::Twice { .. } => Fault::invalid(
                "edge-config-invalid",
                cause,
                "push a configuration whose routes and networks agree",
            ),
            Error::Certificates { .. } => Fault::invalid(
                "edge-certificates-invalid",
                cause,
                "push a certificate with its key, its authorities and their revocation lists",
            ),
            Error::PortInUse { .. } => Fault::conflict(
                "edge-port-in-use",
                cause,
                "stop that program, or give the platform another endpoint address or port",
            ),
            Error::Listen { .. } => Fault::unavailable(
                "edge-listen-failed",
                cause,
                "check that the host has this address, and try again",
            ),
            Error::File { .. } => Fault::new(
                FaultKind::Exhausted,
                "edge-state-failed",
                cause,
                "check that the edge's state directory is writable and its disk not full",
            ),
            Error::AlreadyRunning { .. } => Fault::conflict(
                "edge-already-running",
                cause,
                "stop the other process, or start this one with another state directory",
            ),
        }
    }
}
