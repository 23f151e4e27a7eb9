//! What the driver is told when it is made.

use std::path::PathBuf;

use types::Cidr;

use crate::names::Instance;

#[derive(Debug, Clone)]
pub struct Options {
    /// Marks everything this platform instance makes on the host.
    pub instance: Instance,
    /// Where the generations in force are recorded.
    pub state: PathBuf,
    /// The pool from which this instance takes a range for the links between its networks and the host.
    pub uplinks: Cidr,
    pub mtu: u32,
}

impl Options {
    pub fn new(instance: Instance, state: impl Into<PathBuf>) -> Self {
        Self {
            instance,
            state: state.into(),
            uplinks: "100.64.0.0/10".parse().expect("the default pool is a range"),
            mtu: 1500,
        }
    }
}
