//! A worker: takes tasks that are due and brings their subjects where they should be.

use std::{sync::Arc, time::Duration};

use ports::{
    Clock, Store,
    store::{Batch, Lease, Next, StoreError, Write},
};
use tokio::{sync::Semaphore, task::JoinSet};
use types::{Fault, operation::OperationState};

use crate::{
    Moment, Pass, Probe, Reconciler, Signals, WorkflowError,
    journal::Journal,
    retry,
    run::{PassEnd, Run, pass_point},
};

#[derive(Debug, Clone)]
pub struct Options {
    /// Names this worker in leases.
    pub owner: String,
    pub lease_ttl: Duration,
    /// How many subjects are worked on at once.
    pub parallel: usize,
    /// By how much longer than it states a step is waited for: what takes a minute takes ten on an emulated processor.
    pub patience: f64,
}

/// Cheap to clone; every clone works on the same store.
#[derive(Clone)]
pub struct Worker {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub signals: Arc<Signals>,
    pub reconciler: Arc<dyn Reconciler>,
    pub probe: Arc<dyn Probe>,
    pub options: Options,
}

/// What one turn came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// A subject was worked on.
    Worked,
    /// Nothing was due.
    Idle,
}

/// How many times a subject is planned anew within one lease before others get their turn.
const PASSES: u32 = 16;
/// Tasks that other processes wake are noticed at least this often.
const LONGEST_NAP: Duration = Duration::from_secs(1);

impl Worker {
    /// Works until `stop` resolves; what is under way is then left to whoever comes next.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let slots = Arc::new(Semaphore::new(self.options.parallel));
        let mut tasks = JoinSet::new();
        tokio::pin!(stop);
        loop {
            while tasks.try_join_next().is_some() {}
            let slot = slots
                .clone()
                .acquire_owned()
                .await
                .expect("the semaphore is never closed");
            let now = self.clock.unix_ms();
            let leased = self.store.lease(&self.options.owner, now, self.ttl_ms()).await;
            match leased {
                Ok(Some(lease)) => {
                    let worker = self.clone();
                    tasks.spawn(async move {
                        let _slot = slot;
                        worker.serve(lease).await;
                        worker.signals.wake();
                    });
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::error!(%error, "no task could be leased"),
            }
            drop(slot);
            let nap = self.nap().await;
            tokio::select! {
                () = &mut stop => return,
                () = self.signals.woken() => {}
                () = tokio::time::sleep(nap) => {}
            }
        }
    }

    /// Takes one task if one is due and serves it to its end. For tests, which own the time.
    pub async fn turn(&self) -> Result<Turn, WorkflowError> {
        let now = self.clock.unix_ms();
        match self.store.lease(&self.options.owner, now, self.ttl_ms()).await? {
            Some(lease) => self.converge(lease).await.map(|()| Turn::Worked),
            None => Ok(Turn::Idle),
        }
    }

    async fn nap(&self) -> Duration {
        let due = self.store.next_due_ms().await.ok().flatten();
        let wait = due.map_or(i64::MAX, |due| due - self.clock.unix_ms());
        Duration::from_millis(u64::try_from(wait).unwrap_or(0)).clamp(Duration::from_millis(10), LONGEST_NAP)
    }

    fn ttl_ms(&self) -> i64 {
        i64::try_from(self.options.lease_ttl.as_millis()).unwrap_or(i64::MAX)
    }

    async fn serve(&self, lease: Lease) {
        let subject = lease.subject.clone();
        let renewing = self.keep_lease(lease.clone());
        let result = tokio::select! {
            result = self.converge(lease) => result,
            error = renewing => Err(error.into()),
        };
        match result {
            Ok(()) => {}
            Err(WorkflowError::Killed) => tracing::error!(%subject, "worker killed by a probe"),
            Err(error) => tracing::warn!(%subject, %error, "pass abandoned; the task is taken up again"),
        }
    }

    /// Resolves only when the lease is lost.
    async fn keep_lease(&self, lease: Lease) -> StoreError {
        loop {
            tokio::time::sleep(self.options.lease_ttl / 3).await;
            match self
                .store
                .renew(&lease, self.clock.unix_ms(), self.ttl_ms())
                .await
            {
                Ok(()) => {}
                Err(error @ StoreError::Fenced { .. }) => return error,
                Err(error) => tracing::warn!(%error, "a lease could not be renewed"),
            }
        }
    }

    /// Somebody wrote between a look and the record of what followed from it: look again at once.
    async fn converge(&self, lease: Lease) -> Result<(), WorkflowError> {
        match self.attempt(lease.clone()).await {
            Err(WorkflowError::Store(StoreError::Stale { .. })) => {
                self.release(&lease, lease.failures, 0).await
            }
            ended => ended,
        }
    }

    async fn attempt(&self, lease: Lease) -> Result<(), WorkflowError> {
        let journal = Journal::open(
            self.store.clone(),
            self.clock.clone(),
            self.signals.clone(),
            lease.clone(),
        )
        .await?;
        let mut again = Vec::new();
        for _ in 0..PASSES {
            let pass = match self.reconciler.plan(&lease).await {
                Ok(pass) => pass,
                Err(fault) => return self.failed(&lease, &journal, fault).await,
            };
            if pass.steps.is_empty() {
                return self.settled(&lease, &journal, &pass).await;
            }
            let run = Run {
                reconciler: &*self.reconciler,
                probe: &*self.probe,
                clock: &*self.clock,
                journal: &journal,
                lease: &lease,
                patience: self.options.patience,
            };
            match run.pass(&pass).await? {
                PassEnd::Done => again = pass.steps.into_iter().map(|step| step.title).collect(),
                PassEnd::Superseded => return self.release(&lease, 0, 0).await,
                PassEnd::Failed(fault) => return self.failed(&lease, &journal, fault).await,
                PassEnd::Ended {
                    step,
                    mut writes,
                    report,
                } => {
                    writes.push(Write::EndTask {
                        subject: lease.subject.clone(),
                    });
                    self.ended(&lease, &journal, report, writes).await?;
                    return pass_point(&*self.probe, &lease.subject, &step, Moment::AfterRecord);
                }
            }
        }
        // Steps that say they are done and are planned again at once would go on for ever.
        let fault = Fault::unavailable(
            "not-converging",
            format!("done again and again without effect: {}", again.join(", ")),
            "the platform tries again, more slowly; its log and `cloud events` may say more",
        );
        self.failed(&lease, &journal, fault).await
    }

    async fn settled(&self, lease: &Lease, journal: &Journal, pass: &Pass) -> Result<(), WorkflowError> {
        if journal
            .generation()
            .await
            .is_some_and(|generation| generation <= pass.generation)
        {
            let state = match &pass.blocked {
                Some(_) => OperationState::Failed,
                None if pass.held => OperationState::Cancelled,
                None => OperationState::Succeeded,
            };
            let fault = pass.blocked.clone();
            journal.close(state, fault, Vec::new(), Vec::new()).await?;
        }
        self.release(lease, 0, pass.recheck_ms).await
    }

    async fn ended(
        &self,
        lease: &Lease,
        journal: &Journal,
        report: Vec<String>,
        writes: Vec<Write>,
    ) -> Result<(), WorkflowError> {
        if journal.generation().await.is_some() {
            journal
                .close(OperationState::Succeeded, None, report, writes)
                .await?;
        } else {
            self.store
                .commit(Batch {
                    fence: Some(lease.clone()),
                    writes,
                })
                .await?;
        }
        Ok(())
    }

    async fn failed(&self, lease: &Lease, journal: &Journal, fault: Fault) -> Result<(), WorkflowError> {
        let failures = lease.failures + 1;
        let given_up = retry::is_hopeless(&fault, failures);
        self.reconciler.failed(lease, &fault, given_up).await?;
        if given_up && journal.generation().await.is_some() {
            journal
                .close(OperationState::Failed, Some(fault), Vec::new(), Vec::new())
                .await?;
        }
        self.release(lease, failures, retry::delay_ms(failures)).await
    }

    async fn release(&self, lease: &Lease, failures: u32, delay_ms: i64) -> Result<(), WorkflowError> {
        let next = Next {
            run_at_ms: self.clock.unix_ms().saturating_add(delay_ms),
            failures,
        };
        Ok(self.store.release(lease, next).await?)
    }
}
