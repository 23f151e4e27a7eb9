//! Running one pass: every step whose predecessors are done runs, side by side with the others.

use std::{collections::BTreeSet, time::Duration};

use futures::{StreamExt, stream::FuturesUnordered};
use plan::Step;
use ports::store::{Lease, Write};
use types::{Fault, operation::Subject};

use crate::{
    Moment, Outcome, Pass, Point, Probe, Reached, Reconciler, WorkflowError, journal::Journal,
    retry::OUT_OF_PATIENCE,
};

/// How often a step that answered "not yet" is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) enum PassEnd {
    /// All steps are done; look again.
    Done,
    /// Something newer is wanted; look again.
    Superseded,
    Failed(Fault),
    /// A step that ends the subject; its record is the subject's end.
    Ended {
        step: String,
        writes: Vec<Write>,
        report: Vec<String>,
    },
}

pub(crate) struct Run<'a> {
    pub(crate) reconciler: &'a dyn Reconciler,
    pub(crate) probe: &'a dyn Probe,
    pub(crate) clock: &'a dyn ports::Clock,
    pub(crate) journal: &'a Journal,
    pub(crate) lease: &'a Lease,
    /// See [`crate::Options`].
    pub(crate) patience: f64,
}

enum StepEnd {
    Done,
    Superseded,
    Failed(Fault),
    Ended { writes: Vec<Write>, report: Vec<String> },
}

impl Run<'_> {
    pub(crate) async fn pass(&self, pass: &Pass) -> Result<PassEnd, WorkflowError> {
        let mut done: BTreeSet<&str> = BTreeSet::new();
        let mut begun: BTreeSet<&str> = BTreeSet::new();
        let mut running = FuturesUnordered::new();
        let mut end = PassEnd::Done;
        loop {
            if matches!(end, PassEnd::Done) {
                for step in &pass.steps {
                    let ready = step.after.iter().all(|key| done.contains(key.as_str()));
                    if ready && begun.insert(&step.key) {
                        running.push(async move { (step, self.step(pass, step).await) });
                    }
                }
            }
            let Some((step, result)) = running.next().await else {
                return Ok(end);
            };
            match result? {
                StepEnd::Done => {
                    done.insert(&step.key);
                }
                // The first fault is the one told; steps under way are let finish, none is begun.
                StepEnd::Failed(fault) if matches!(end, PassEnd::Done) => end = PassEnd::Failed(fault),
                StepEnd::Failed(_) => {}
                StepEnd::Superseded => end = PassEnd::Superseded,
                StepEnd::Ended { writes, report } => {
                    end = PassEnd::Ended {
                        step: step.key.clone(),
                        writes,
                        report,
                    };
                }
            }
        }
    }

    async fn step(&self, pass: &Pass, step: &Step) -> Result<StepEnd, WorkflowError> {
        if self.reconciler.superseded(self.lease, pass).await {
            return Ok(StepEnd::Superseded);
        }
        let ledger = self
            .reconciler
            .ledger(self.lease, step)
            .into_iter()
            .map(Write::LedgerAdd)
            .collect();
        self.journal.begin(step, ledger).await?;
        self.point(step, Moment::BeforeEffect)?;
        let outcome = match self.effect(pass, step).await {
            Ok(Some(outcome)) => outcome,
            Ok(None) => return Ok(StepEnd::Superseded),
            Err(fault) => {
                tracing::warn!(subject = %self.lease.subject, step = step.key, %fault, "step failed");
                self.journal.step_failed(step, &fault).await?;
                return Ok(StepEnd::Failed(fault));
            }
        };
        self.point(step, Moment::AfterEffect)?;
        match outcome {
            Outcome::Done => self.journal.done(step, Vec::new()).await?,
            Outcome::Recorded(facts) => self.journal.done(step, facts).await?,
            Outcome::Ended { writes, report } => return Ok(StepEnd::Ended { writes, report }),
            Outcome::Later(_) => {}
        }
        tracing::debug!(subject = %self.lease.subject, step = step.key, "step done");
        self.point(step, Moment::AfterRecord)?;
        Ok(StepEnd::Done)
    }

    /// The step's outcome, asked for until it is there; nothing when something newer is wanted meanwhile.
    async fn effect(&self, pass: &Pass, step: &Step) -> Result<Option<Outcome>, Fault> {
        let began = self.clock.monotonic_ms();
        let patience = Duration::from_millis(step.patience_ms).mul_f64(self.patience);
        loop {
            let reason = match self.reconciler.execute(self.lease, step).await? {
                Outcome::Later(reason) => reason,
                outcome @ (Outcome::Done | Outcome::Recorded(_) | Outcome::Ended { .. }) => {
                    return Ok(Some(outcome));
                }
            };
            if Duration::from_millis(self.clock.monotonic_ms() - began) > patience {
                return Err(Fault::unavailable(
                    OUT_OF_PATIENCE,
                    format!(
                        "'{}' was not done after {} s: {reason}",
                        step.title,
                        patience.as_secs()
                    ),
                    "look at the cluster's events and its machines' consoles; the platform goes on trying",
                ));
            }
            tokio::time::sleep(ASK_AGAIN).await;
            if self.reconciler.superseded(self.lease, pass).await {
                return Ok(None);
            }
        }
    }

    fn point(&self, step: &Step, moment: Moment) -> Result<(), WorkflowError> {
        pass_point(self.probe, &self.lease.subject, &step.key, moment)
    }
}

pub(crate) fn pass_point(
    probe: &dyn Probe,
    subject: &Subject,
    step: &str,
    moment: Moment,
) -> Result<(), WorkflowError> {
    match probe.reached(Point {
        subject,
        step,
        moment,
    }) {
        Reached::GoOn => Ok(()),
        Reached::Die => Err(WorkflowError::Killed),
    }
}
