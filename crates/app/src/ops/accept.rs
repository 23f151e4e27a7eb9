//! Accepting a change: decide against one state of the books, write if that state still holds, else decide again.

use futures::future::BoxFuture;
use ports::store::{Batch, Doc, StoreError, Write};
use types::{
    Fault, OperationId, ProjectId,
    operation::{Operation, OperationKind, OperationState, Subject},
};

use super::Ops;
use crate::records;

/// Many may be deciding at once; each round one of them gets through.
const ROUNDS: u32 = 200;

/// What a decision came to.
pub(super) enum Decision<T> {
    Write {
        writes: Vec<Write>,
        answer: T,
    },
    /// Nothing to write.
    Answer(T),
}

impl Ops {
    /// `decide` reads the books and says what to write. It runs again when somebody wrote meanwhile.
    pub(super) async fn accept<'a, T>(
        &self,
        decide: impl Fn() -> BoxFuture<'a, Result<Decision<T>, Fault>> + Send + Sync,
    ) -> Result<T, Fault> {
        for _ in 0..ROUNDS {
            // Read first: whatever is decided below is refused if anybody else was accepted since.
            let mut ground = records::ground(&*self.world.store).await?;
            let (mut writes, answer) = match decide().await? {
                Decision::Write { writes, answer } => (writes, answer),
                Decision::Answer(answer) => return Ok(answer),
            };
            ground.value.edge_generation += 1;
            writes.push(Write::Put(Doc::new(&ground.value, ground.version)));
            match self.world.store.commit(Batch { fence: None, writes }).await {
                Ok(()) => {
                    self.world.signals.wake();
                    self.world.signals.operation_changed();
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

    pub(super) fn operation(
        &self,
        project: &ProjectId,
        subject: &Subject,
        name: &str,
        kind: OperationKind,
        generation: u64,
    ) -> Operation {
        Operation {
            id: OperationId::generate(),
            project: project.clone(),
            subject: subject.clone(),
            subject_name: name.to_owned(),
            kind,
            generation,
            state: OperationState::Running,
            steps: Vec::new(),
            fault: None,
            report: Vec::new(),
            started: self.world.clock.now(),
            started_ms: self.world.clock.unix_ms(),
            finished: None,
        }
    }

    pub(super) fn wake(&self, subject: &Subject) -> Write {
        Write::Wake {
            subject: subject.clone(),
            at_ms: self.world.clock.unix_ms(),
        }
    }
}
