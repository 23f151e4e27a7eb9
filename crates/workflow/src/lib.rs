//! The engine behind every operation: lease a task, let its reconciler observe and plan, run the steps that are ready,
//! record each, and plan again until nothing is left.
//!
//! Guarantees: a step's ledger entries are durable before its effect begins; its record is durable before a step that
//! depends on it begins; a worker that lost its lease writes nothing more. Assumptions: steps are idempotent, and
//! planning sees what they did. Caveat: a step may run twice when a worker dies between its effect and its record.

mod journal;
mod probe;
mod reconciler;
mod retry;
mod run;
mod signals;
mod worker;

pub use probe::{Moment, NoProbe, Point, Probe, Reached};
pub use reconciler::{Outcome, Pass, Reconciler};
pub use signals::Signals;
pub use worker::{Options, Turn, Worker};

use types::Fault;

#[derive(Debug, thiserror::Error)]
pub enum WorkflowError {
    #[error(transparent)]
    Store(#[from] ports::store::StoreError),
    #[error(transparent)]
    Step(#[from] Fault),
    /// A probe ended this worker, as a power cut would.
    #[error("killed at a probe")]
    Killed,
}
