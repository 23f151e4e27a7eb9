//! The driver on the real kernel. Needs root, `ip` and `nft`; makes namespaces and interfaces under a random instance id and
//! takes them away again. Plain network namespaces stand in for machines. All traffic stays inside those namespaces.

mod contract;
mod converge;
mod leftovers;
mod realms;
mod sockets;
mod talk;
mod world;
