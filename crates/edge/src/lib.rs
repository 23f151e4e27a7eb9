//! The edge: one process per platform instance that carries traffic, so that `cloudd` does not.
//!
//! - `router`: one endpoint for all clusters' APIs. It reads the name a TLS client asks for, connects to that cluster's
//!   backend inside its network's namespace, and moves bytes. It holds no key of theirs and ends no TLS.
//! - `tunnel`: on the same endpoint, SSH into instances for whoever holds a ticket. Here TLS ends.
//! - `registry`: a read-only OCI registry on the platform address of every network.
//! - `dns`: a forwarder of names to the host's own resolvers, on the same addresses.
//! - `identity`: who holds a token, told to the clusters of every network, on the same addresses.
//! - `control`: a unix socket through which the whole configuration comes in, with a generation.
//!
//! The last configuration is kept on disk, its keys apart from it (`volatile`), and is in force again as soon as the process
//! starts.

#[cfg(test)]
mod bent;
mod client;
mod control;
mod dns;
mod endpoint;
mod error;
mod hello;
mod holder;
pub mod identity;
mod metrics;
mod network;
mod registry;
mod relay;
mod router;
mod service;
mod sockets;
mod stored;
mod tunnel;
mod validate;
mod volatile;

pub use client::EdgeClient;
pub use control::{EndpointReport, NetworkReport, Report};
pub use service::{Options, Service};
pub use volatile::keys_file;
