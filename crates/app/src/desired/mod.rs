//! What is wanted, rendered from what is stored: the whole state of a network, the edge, a machine.

pub mod edge;
pub mod machine;
pub mod network;
pub mod target;
pub mod tenancy;
