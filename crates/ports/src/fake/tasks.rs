//! Tasks and leases in memory, with the meaning of the `Store` port.

use std::collections::BTreeMap;

use types::operation::Subject;

use crate::store::{Lease, Next, StoreError};

/// A smaller "now" than a task has seen, by more than this, means that the clock was set back.
const JITTER_MS: i64 = 1_000;

#[derive(Debug, Clone, Default)]
pub(super) struct Tasks {
    all: BTreeMap<Subject, Task>,
    /// One counter for all tasks: a fence is never given twice.
    last_fence: u64,
}

#[derive(Debug, Clone)]
struct Task {
    run_at_ms: i64,
    failures: u32,
    seen_ms: Option<i64>,
    held: Option<Held>,
}

#[derive(Debug, Clone)]
struct Held {
    owner: String,
    fence: u64,
    until_ms: i64,
    ttl_ms: i64,
    woken_ms: Option<i64>,
}

impl Task {
    /// When somebody may take it: a free one when it is to run, a leased one when its lease runs out.
    fn due_ms(&self) -> i64 {
        self.held.as_ref().map_or(self.run_at_ms, |held| held.until_ms)
    }
}

impl Tasks {
    pub(super) fn wake(&mut self, subject: Subject, at_ms: i64) {
        let task = self.all.entry(subject).or_insert(Task {
            run_at_ms: at_ms,
            failures: 0,
            seen_ms: None,
            held: None,
        });
        match &mut task.held {
            None => {
                task.run_at_ms = task.run_at_ms.min(at_ms);
                task.failures = 0;
            }
            Some(held) => held.woken_ms = Some(held.woken_ms.map_or(at_ms, |woken| woken.min(at_ms))),
        }
    }

    pub(super) fn end(&mut self, subject: &Subject) {
        self.all.remove(subject);
    }

    pub(super) fn check(&self, lease: &Lease) -> Result<(), StoreError> {
        let held = self.all.get(&lease.subject).and_then(|task| task.held.as_ref());
        match held {
            Some(held) if held.fence == lease.fence && held.owner == lease.owner => Ok(()),
            Some(_) | None => Err(lost(lease)),
        }
    }

    pub(super) fn lease(&mut self, owner: &str, now_ms: i64, ttl_ms: i64) -> Option<Lease> {
        self.follow_clock_back(now_ms);
        let due = self.all.iter().filter(|(_, task)| task.due_ms() <= now_ms);
        // The first of equals, in the order of subjects.
        let subject = due
            .min_by_key(|(_, task)| task.due_ms())
            .map(|(subject, _)| subject.clone())?;
        let task = self.all.get_mut(&subject)?;
        self.last_fence += 1;
        let woken_ms = task
            .held
            .take()
            .and_then(|held| held.woken_ms)
            .filter(|woken| *woken > now_ms);
        let until_ms = now_ms.saturating_add(ttl_ms);
        task.held = Some(Held {
            owner: owner.to_owned(),
            fence: self.last_fence,
            until_ms,
            ttl_ms,
            woken_ms,
        });
        task.seen_ms = Some(now_ms);
        Some(Lease {
            subject,
            owner: owner.to_owned(),
            fence: self.last_fence,
            failures: task.failures,
        })
    }

    fn follow_clock_back(&mut self, now_ms: i64) {
        let ahead = |task: &Task| {
            task.seen_ms
                .is_some_and(|seen| seen > now_ms.saturating_add(JITTER_MS))
        };
        if !self.all.values().any(ahead) {
            return;
        }
        for task in self.all.values_mut() {
            task.run_at_ms = task.run_at_ms.min(now_ms);
            task.seen_ms = task.seen_ms.map(|seen| seen.min(now_ms));
            if let Some(held) = &mut task.held {
                held.until_ms = held.until_ms.min(now_ms.saturating_add(held.ttl_ms));
                held.woken_ms = held.woken_ms.map(|woken| woken.min(now_ms));
            }
        }
    }

    pub(super) fn end_leases(&mut self, owner: &str, now_ms: i64) {
        for held in self.all.values_mut().filter_map(|task| task.held.as_mut()) {
            if held.owner == owner {
                held.until_ms = held.until_ms.min(now_ms);
            }
        }
    }

    pub(super) fn renew(&mut self, lease: &Lease, now_ms: i64, ttl_ms: i64) -> Result<(), StoreError> {
        self.check(lease)?;
        let task = self.all.get_mut(&lease.subject).ok_or_else(|| lost(lease))?;
        let held = task.held.as_mut().ok_or_else(|| lost(lease))?;
        held.until_ms = now_ms.saturating_add(ttl_ms);
        held.ttl_ms = ttl_ms;
        task.seen_ms = task.seen_ms.max(Some(now_ms));
        Ok(())
    }

    /// Of a task that ended meanwhile there is nothing to give back.
    pub(super) fn release(&mut self, lease: &Lease, next: Next) -> Result<(), StoreError> {
        if !self.all.contains_key(&lease.subject) {
            return Ok(());
        }
        self.check(lease)?;
        let task = self.all.get_mut(&lease.subject).ok_or_else(|| lost(lease))?;
        let woken = task.held.take().and_then(|held| held.woken_ms);
        task.run_at_ms = woken.map_or(next.run_at_ms, |woken| woken.min(next.run_at_ms));
        task.failures = next.failures;
        Ok(())
    }

    pub(super) fn next_due_ms(&self) -> Option<i64> {
        self.all.values().map(Task::due_ms).min()
    }
}

fn lost(lease: &Lease) -> StoreError {
    StoreError::Fenced {
        subject: lease.subject.clone(),
    }
}
