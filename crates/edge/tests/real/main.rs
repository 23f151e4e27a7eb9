//! `cloud-edge` as it runs: its own process, real namespaces, real TLS. Needs root and `ip`; makes namespaces under random
//! names and takes them away again. All traffic stays on loopback, the host's or a namespace's. Resolvers of the tests
//! take port 53 of random addresses of the host's loopback.

mod asking;
mod backend;
mod contract;
mod edge;
mod identity;
mod known;
mod names;
mod registry;
mod routing;
mod state;
mod tunnels;
mod upstream;
