//! Tests of the whole platform on real machines, and what they stand on: an instance of the platform of the test's own,
//! the real `cloud` and `kubectl`, and a look at the host that asks the platform nothing.
//!
//! A test needs root, the host tools that `cloudd check` names, the default bundle in the cache
//! (`PLASMACLOUD_CACHE_DIR`, else the usual place) and the built programs (`PLASMACLOUD_BIN_DIR`).
//! Nothing else on the machine is touched: everything is looked for by the mark of the test's own instance.

mod caller;
mod certificates;
mod cluster;
mod command;
mod evidence;
mod host;
mod platform;
mod process;
mod programs;
mod residue;
mod session;
mod stages;
mod supervisor;
mod wait;

pub use crate::{
    caller::Caller,
    certificates::ServingCertificate,
    cluster::{Cluster, is_true},
    command::{Ended, run, run_with_input},
    host::{Machine, plug_pulled},
    platform::{Held, Platform},
    process::Process,
    programs::Programs,
    residue::residue,
    session::Session,
    stages::Stages,
    wait::{eventually, holds_for},
};
