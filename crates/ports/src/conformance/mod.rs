//! Suites that a port's fake and its real adapters both pass, so that what holds on the fake holds on the machine.
//!
//! Each suite is a list of cases over the port's trait and a `Bench`: the little an implementation must supply so that
//! a case can do to the world what no port does, such as cutting a machine's power. One call runs the list.

mod run;

pub mod bundles;
pub mod cluster_api;
pub mod compute;
pub mod edge;
pub mod images;
pub mod network;
pub mod rotation;
pub mod store;
pub mod vault;
pub mod volumes;

use run::{Run, abandon, at_once, eventually, suite, told};
