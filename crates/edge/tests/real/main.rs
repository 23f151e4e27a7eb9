//! `cloud-edge` as it runs: its own process, real namespaces, real TLS. Needs root and `ip`; makes namespaces under random
//! names and takes them away again. All traffic stays on loopback, the host's or a namespace's.

mod backend;
mod edge;
mod registry;
mod routing;
mod state;
