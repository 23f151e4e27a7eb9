//! Planning is pure: `plan(desired, observed)` gives the steps that are left, and running them leaves no choices.
//! Recovery from a crash is planning again from what is then seen; no list of steps is ever stored and replayed.

mod departure;
mod hosted;
mod lint;
mod network;
mod step;

pub use hosted::{ClusterDesired, ClusterObserved, MachineSeen, hosted, lost, preview};
pub use lint::{PlanError, check};
pub use network::{NetworkDesired, NetworkSeen, network};
pub use step::{Action, Executor, Step, VERSION};
