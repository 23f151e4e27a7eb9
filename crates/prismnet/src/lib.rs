//! PrismNET on one host: a network (VPC) is a network namespace that routes.
//!
//! There is no bridge. Every port is a veth pair of its own, routed in the namespace by a host route, and the namespace
//! answers ARP for the neighbours. Two machines of one subnet therefore never share a link: each packet between them is
//! forwarded, and passes the `inet` forward hook like any other.
//!
//! ```text
//!  machine eth0 ═ veth ═┐                                   ┌═ veth ═ host (input: nothing, forward: outwards only)
//!  machine eth0 ═ veth ═┤ pc-<instance>-<network>: routes,  ├ uplink
//!  machine eth0 ═ veth ═┘ firewall, NAT, gateway, platform  ┘
//! ```
//!
//! Everything carries the instance's id in its name, so that several platforms live on one host and a look at the host
//! ([`ports::Network::scan`]) finds what is ours without any record.

mod apply;
mod driver;
mod error;
mod firewall;
mod host;
mod links;
mod names;
mod namespace;
mod options;
mod record;
mod remove;
mod router;
mod scan;
mod sysctl;
mod tool;
mod uplink;
mod validate;
mod view;

pub use driver::NamespaceDriver;
pub use names::{Instance, InstanceError};
pub use options::Options;
