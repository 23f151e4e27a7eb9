//! What a kind of thing brings to the loop: how to see it, plan it, and do one step of it.

use async_trait::async_trait;
use plan::Step;
use ports::store::{Lease, LedgerEntry, Write};
use types::Fault;

/// One look at a subject and what is left to do.
#[derive(Debug, Clone)]
pub struct Pass {
    /// The generation of the subject this pass serves.
    pub generation: u64,
    pub steps: Vec<Step>,
    /// Its owner stopped it: nothing is left to do, and what was asked for is not there.
    pub held: bool,
    /// Nothing can be done until somebody does something: why, and what. What was asked for has failed.
    pub blocked: Option<Fault>,
    /// When to look again if nothing is left to do.
    pub recheck_ms: i64,
}

#[derive(Debug, Clone)]
pub enum Outcome {
    Done,
    /// Done, with facts to record in the same write.
    Recorded(Vec<Write>),
    /// Not yet; ask again soon. The reason is what a person would be told when patience runs out.
    Later(String),
    /// The subject is gone: these writes take it off the books, and the report says what was found.
    Ended {
        writes: Vec<Write>,
        report: Vec<String>,
    },
}

#[async_trait]
pub trait Reconciler: Send + Sync {
    /// Looks at the world, writes what it saw as status, and says what is left.
    async fn plan(&self, lease: &Lease) -> Result<Pass, Fault>;

    /// Whether something newer is wanted than what the pass serves. Asked between steps.
    async fn superseded(&self, lease: &Lease, pass: &Pass) -> bool;

    /// What a step is about to make: written to the ledger before it begins.
    fn ledger(&self, lease: &Lease, step: &Step) -> Vec<LedgerEntry>;

    async fn execute(&self, lease: &Lease, step: &Step) -> Result<Outcome, Fault>;

    /// A pass failed. `given_up`: the operation is over; the loop goes on trying, more slowly.
    async fn failed(&self, lease: &Lease, fault: &Fault, given_up: bool) -> Result<(), Fault>;
}
