//! Accepting a change: decide against one state of the books, write if that state still holds, else decide again.

use futures::future::BoxFuture;
use ports::{
    Store,
    store::{Batch, Doc, StoreError, Write},
};
use types::Fault;
use workflow::Signals;

use crate::records;

/// Many may be deciding at once; each round one of them gets through.
const ROUNDS: u32 = 200;

/// What a decision came to.
pub(crate) enum Decision<T> {
    Write {
        writes: Vec<Write>,
        answer: T,
    },
    /// Nothing to write.
    Answer(T),
}

/// `decide` reads the books and says what to write. It runs again when somebody wrote meanwhile.
pub(crate) async fn accept<'a, T>(
    store: &dyn Store,
    signals: &Signals,
    decide: impl Fn() -> BoxFuture<'a, Result<Decision<T>, Fault>> + Send + Sync,
) -> Result<T, Fault> {
    for _ in 0..ROUNDS {
        // Read first: whatever is decided below is refused if anybody else was accepted since.
        let mut ground = records::ground(store).await?;
        let (mut writes, answer) = match decide().await? {
            Decision::Write { writes, answer } => (writes, answer),
            Decision::Answer(answer) => return Ok(answer),
        };
        ground.value.edge_generation += 1;
        writes.push(Write::Put(Doc::new(&ground.value, ground.version)));
        match store.commit(Batch { fence: None, writes }).await {
            Ok(()) => {
                signals.wake();
                signals.operation_changed();
                return Ok(answer);
            }
            Err(StoreError::Stale { .. }) => {}
            Err(error) => return Err(records::fault(error)),
        }
    }
    Err(Fault::unavailable(
        "busy",
        "too many changes are being made at once",
        "try again",
    ))
}
