//! The operation that a pass serves, kept up to date in the store. Repairs nobody asked for have none; then only the
//! ledger and the steps' own facts are written.

use std::sync::Arc;

use plan::Step;
use ports::{
    Clock, Store,
    store::{Batch, Doc, Entity, Filter, Lease, StoreError, Versioned, Write},
};
use tokio::sync::Mutex;
use types::{
    Fault,
    operation::{Operation, OperationState, StepRecord, StepState},
};

use crate::Signals;

pub(crate) struct Journal {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    signals: Arc<Signals>,
    lease: Lease,
    current: Mutex<Option<Versioned<Operation>>>,
}

impl Journal {
    /// Opens the newest running operation of the subject; older ones are superseded.
    pub(crate) async fn open(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        signals: Arc<Signals>,
        lease: Lease,
    ) -> Result<Self, StoreError> {
        let mut running = Vec::new();
        for doc in store
            .list(Operation::KIND, &Filter::below(&lease.subject.id))
            .await?
        {
            let operation = doc.read::<Operation>()?;
            if operation.value.subject == lease.subject && !operation.value.state.is_final() {
                running.push(operation);
            }
        }
        running.sort_by_key(|op| op.value.generation);
        let newest = running.pop();
        let journal = Self {
            store,
            clock,
            signals,
            lease,
            current: Mutex::new(newest),
        };
        for old in running {
            journal.close_other(old).await?;
        }
        Ok(journal)
    }

    async fn close_other(&self, mut old: Versioned<Operation>) -> Result<(), StoreError> {
        old.value.state = OperationState::Superseded;
        old.value.finished = Some(self.clock.now());
        self.commit(vec![Write::Put(Doc::new(&old.value, old.version))])
            .await
    }

    pub(crate) async fn generation(&self) -> Option<u64> {
        self.current.lock().await.as_ref().map(|op| op.value.generation)
    }

    /// Before a step's effect: what it is about to make, and that it runs.
    pub(crate) async fn begin(&self, step: &Step, ledger: Vec<Write>) -> Result<(), StoreError> {
        self.update(ledger, |operation, now_ms| {
            match operation.steps.iter_mut().find(|s| s.key == step.key) {
                Some(record) => {
                    record.state = StepState::Running;
                    record.attempts += 1;
                    record.ended_ms = None;
                    record.fault = None;
                }
                None => operation.steps.push(StepRecord {
                    key: step.key.clone(),
                    title: step.title.clone(),
                    state: StepState::Running,
                    attempts: 1,
                    began_ms: now_ms,
                    ended_ms: None,
                    fault: None,
                }),
            }
        })
        .await
    }

    pub(crate) async fn done(&self, step: &Step, facts: Vec<Write>) -> Result<(), StoreError> {
        self.finish_step(step, StepState::Done, None, facts).await
    }

    pub(crate) async fn step_failed(&self, step: &Step, fault: &Fault) -> Result<(), StoreError> {
        self.finish_step(step, StepState::Failed, Some(fault.clone()), Vec::new())
            .await
    }

    async fn finish_step(
        &self,
        step: &Step,
        state: StepState,
        fault: Option<Fault>,
        facts: Vec<Write>,
    ) -> Result<(), StoreError> {
        self.update(facts, |operation, now_ms| {
            if let Some(record) = operation.steps.iter_mut().find(|s| s.key == step.key) {
                record.state = state;
                record.ended_ms = Some(now_ms);
                record.fault = fault;
            }
        })
        .await
    }

    /// Ends the operation, with writes that belong to the same moment.
    pub(crate) async fn close(
        &self,
        state: OperationState,
        fault: Option<Fault>,
        report: Vec<String>,
        writes: Vec<Write>,
    ) -> Result<(), StoreError> {
        let finished = self.clock.now();
        self.update(writes, |operation, now_ms| {
            for step in operation
                .steps
                .iter_mut()
                .filter(|s| s.state == StepState::Running)
            {
                step.state = if state == OperationState::Succeeded {
                    StepState::Done
                } else {
                    StepState::Failed
                };
                step.ended_ms = Some(now_ms);
            }
            operation.state = state;
            operation.fault = fault;
            operation.report = report;
            operation.finished = Some(finished);
        })
        .await?;
        *self.current.lock().await = None;
        Ok(())
    }

    async fn update(
        &self,
        mut writes: Vec<Write>,
        change: impl FnOnce(&mut Operation, u64),
    ) -> Result<(), StoreError> {
        let mut current = self.current.lock().await;
        let changed = current.as_ref().map(|op| {
            let mut operation = op.value.clone();
            let elapsed = self.clock.unix_ms() - operation.started_ms;
            change(&mut operation, u64::try_from(elapsed).unwrap_or(0));
            Versioned {
                version: op.version,
                value: operation,
            }
        });
        if let Some(op) = &changed {
            writes.push(Write::Put(Doc::new(&op.value, op.version)));
        }
        if writes.is_empty() {
            return Ok(());
        }
        self.commit(writes).await?;
        *current = changed.map(|op| Versioned {
            version: op.version + 1,
            value: op.value,
        });
        Ok(())
    }

    async fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        self.store
            .commit(Batch {
                fence: Some(self.lease.clone()),
                writes,
            })
            .await?;
        self.signals.operation_changed();
        Ok(())
    }
}
