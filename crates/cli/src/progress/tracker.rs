//! What changed between two states of one operation. Each state is whole, so one that was missed loses nothing.

use std::{collections::HashMap, time::Duration};

use api::operation::{OperationView, StepStateView, StepView};

use super::Update;

#[derive(Debug, Default)]
pub struct Tracker {
    seen: HashMap<String, (StepStateView, u32)>,
}

impl Tracker {
    /// The changes since the last call, in the order in which they happened.
    pub fn updates(&mut self, operation: &OperationView) -> Vec<(Duration, Update)> {
        let mut updates: Vec<(u64, Update)> = Vec::new();
        let latest = operation.steps.iter().map(ended).max().unwrap_or_default();
        for step in &operation.steps {
            let before = self.seen.insert(step.key.clone(), (step.state, step.attempts));
            if before != Some((step.state, step.attempts)) {
                updates.extend(changes(step, before.map(|(state, _)| state), latest));
            }
        }
        updates.sort_by_key(|(at, _)| *at);
        updates
            .into_iter()
            .map(|(at, update)| (Duration::from_millis(at), update))
            .collect()
    }
}

fn ended(step: &StepView) -> u64 {
    step.ended_ms.unwrap_or(step.began_ms)
}

/// What to tell of a step that changed. One that ended before anybody saw it begin is told from its beginning.
/// When a further attempt began is not said; it was not before `latest`.
fn changes(step: &StepView, before: Option<StepStateView>, latest: u64) -> Vec<(u64, Update)> {
    use StepStateView::{Done, Failed, Running};
    let (key, title) = (step.key.clone(), step.title.clone());
    let cause = step
        .fault
        .as_ref()
        .map(|fault| fault.cause.clone())
        .unwrap_or_default();
    let started = || Update::Started {
        key: key.clone(),
        title: title.clone(),
    };
    let mut changes = Vec::new();
    if before.is_none() {
        changes.push((step.began_ms, started()));
    }
    match (before, step.state) {
        (None, Running) => {}
        (Some(Failed | Done), Running) => changes.push((latest, started())),
        (Some(Running), Running) => {
            let why = if cause.is_empty() {
                String::new()
            } else {
                format!(" after: {cause}")
            };
            changes.push((
                latest,
                Update::Note(format!("{title}: attempt {}{why}", step.attempts)),
            ));
        }
        (_, Done) => {
            let took = Duration::from_millis(ended(step).saturating_sub(step.began_ms));
            changes.push((ended(step), Update::Done { key, title, took }));
        }
        (_, Failed) => changes.push((ended(step), Update::Failed { key, title, cause })),
    }
    changes
}

#[cfg(test)]
mod tests {
    use api::problem::FaultView;

    use super::*;
    use crate::{
        progress::{Lines, Screen},
        views::samples,
    };

    fn step(
        key: &str,
        state: StepStateView,
        attempts: u32,
        began_ms: u64,
        ended_ms: Option<u64>,
    ) -> StepView {
        let fault = (attempts > 1 || state == StepStateView::Failed).then(|| FaultView {
            code: "no-answer".into(),
            cause: "it did not answer".into(),
            remedy: String::new(),
        });
        StepView {
            key: key.into(),
            title: format!("step {key}"),
            state,
            attempts,
            began_ms,
            ended_ms,
            fault,
        }
    }

    #[test]
    fn every_change_is_told_once_and_in_order() {
        use StepStateView::{Done, Failed, Running};
        let states = [
            vec![step("a", Running, 1, 0, None)],
            vec![step("a", Running, 1, 0, None), step("b", Running, 1, 100, None)],
            vec![step("a", Running, 2, 0, None), step("b", Done, 1, 100, Some(900))],
            vec![
                step("a", Done, 2, 0, Some(2300)),
                step("b", Done, 1, 100, Some(900)),
                step("c", Done, 1, 950, Some(999)),
            ],
            vec![step("d", Failed, 3, 2400, Some(72_500))],
        ];
        let mut tracker = Tracker::default();
        let mut out = Vec::new();
        let mut lines = Lines::new(&mut out);
        for steps in states {
            let operation = OperationView {
                steps,
                ..samples::operation()
            };
            for (at, update) in tracker.updates(&operation) {
                lines.show(at, &update);
            }
            assert_eq!(tracker.updates(&operation), []);
        }
        insta::assert_snapshot!(String::from_utf8(out).unwrap());
    }
}
