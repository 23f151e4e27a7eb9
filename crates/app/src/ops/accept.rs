//! What every accepted request writes: an operation to follow, and a task that is due.

use futures::future::BoxFuture;
use ports::store::Write;
use serde::{Serialize, de::DeserializeOwned};
use types::{
    Fault, OperationId, ProjectId,
    operation::{Operation, OperationKind, OperationState, Subject},
};

use super::Ops;
pub(super) use crate::books::Decision;
use crate::{books, terms};

impl Ops {
    pub(super) async fn accept<'a, T>(
        &self,
        decide: impl Fn() -> BoxFuture<'a, Result<Decision<T>, Fault>> + Send + Sync,
    ) -> Result<T, Fault> {
        books::accept(&*self.world.store, &self.world.signals, decide).await
    }

    /// The same, once for each key that a call may carry.
    pub(super) async fn accept_once<'a, T: Serialize + DeserializeOwned + Send>(
        &self,
        decide: impl Fn() -> BoxFuture<'a, Result<Decision<T>, Fault>> + Send + Sync,
    ) -> Result<T, Fault> {
        let world = &self.world;
        terms::accept_once(&*world.store, &world.signals, world.clock.now(), decide).await
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
