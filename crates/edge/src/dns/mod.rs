//! The name forwarder inside a network: machines ask the platform address, the host's own resolvers answer. A host's
//! resolver often listens on the host's loopback, where no machine could reach it.
//!
//! It relays and does nothing else: no recursion, no cache. It listens on the platform address inside the network's
//! namespace only, so it serves whoever is in the network and nobody outside. What goes to a resolver leaves from the
//! host's namespace, with an id and a source port that are new for each try, so that an answer is hard to forge.
//!
//! Bounds, for each network: queries in flight, beyond which they are answered with a failure at once; connections, beyond
//! which callers wait in the kernel's queue.

mod forwarder;
mod message;
mod resolvers;
mod stream;
mod tcp;
mod udp;
mod upstream;

pub(crate) use forwarder::Forwarder;
pub(crate) use tcp::serve as serve_streams;
pub(crate) use udp::serve as serve_datagrams;

pub(crate) const PORT: u16 = 53;
