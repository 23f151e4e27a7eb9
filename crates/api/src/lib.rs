//! What goes over the wire, apart from the domain's own types: either may change without the other, and every
//! conversion is written out so that a new field cannot be forgotten or leak by accident.

pub mod audit;
pub mod backup;
pub mod certs;
#[cfg(feature = "client")]
pub mod client;
pub mod cluster;
pub mod event;
pub mod grant;
pub mod instance;
pub mod keys;
pub mod moment;
pub mod network;
pub mod openapi;
pub mod operation;
pub mod plan;
pub mod platform;
pub mod problem;
pub mod quantity;
pub mod query;
pub mod routes;
pub mod secret;
pub mod share;
pub mod spec;
pub mod ssh;
pub mod tenant;
pub mod terms;

pub use problem::Problem;
