//! An operation on a screen.

use api::{
    moment,
    operation::{OperationView, StepView},
};
use types::Timestamp;

use crate::output::{Described, Row, age, dash, pairs, section};

fn took(operation: &OperationView, now: Timestamp) -> String {
    let end = operation
        .finished
        .as_deref()
        .and_then(moment::from_wire)
        .unwrap_or(now);
    age(&operation.started, end)
}

fn seconds(ms: u64) -> String {
    format!("{}.{}s", ms / 1000, ms % 1000 / 100)
}

impl Row for OperationView {
    const TITLES: &'static [&'static str] = &[
        "ID",
        "KIND",
        "SUBJECT",
        "STATE",
        "AGE",
        "TOOK",
        "+STEPS",
        "+GENERATION",
        "+SUBJECT ID",
    ];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        let ended = self.steps.iter().filter(|step| step.ended_ms.is_some()).count();
        vec![
            self.id.clone(),
            self.kind.as_str().to_owned(),
            format!("{}/{}", self.subject_kind, self.subject_name),
            self.state.as_str().to_owned(),
            age(&self.started, now),
            took(self, now),
            format!("{ended}/{}", self.steps.len()),
            self.generation.to_string(),
            self.subject_id.clone(),
        ]
    }
}

impl Row for StepView {
    const TITLES: &'static [&'static str] =
        &["STEP", "STATE", "BEGAN", "TOOK", "ATTEMPTS", "LAST FAULT", "+KEY"];

    fn cells(&self, _: Timestamp) -> Vec<String> {
        vec![
            self.title.clone(),
            self.state.as_str().to_owned(),
            seconds(self.began_ms),
            self.ended_ms.map_or_else(
                || "-".to_owned(),
                |ended| seconds(ended.saturating_sub(self.began_ms)),
            ),
            self.attempts.to_string(),
            dash(
                &self
                    .fault
                    .as_ref()
                    .map(|fault| format!("[{}] {}", fault.code, fault.cause))
                    .unwrap_or_default(),
            ),
            self.key.clone(),
        ]
    }
}

impl Described for OperationView {
    fn describe(&self, now: Timestamp, wide: bool) -> String {
        let fault = self.fault.as_ref();
        let rows = [
            ("ID", self.id.clone()),
            ("Kind", self.kind.as_str().to_owned()),
            (
                "Subject",
                format!(
                    "{}/{} ({})",
                    self.subject_kind, self.subject_name, self.subject_id
                ),
            ),
            ("State", self.state.as_str().to_owned()),
            (
                "Started",
                format!("{} ({} ago)", self.started, age(&self.started, now)),
            ),
            ("Took", took(self, now)),
            (
                "Fault",
                fault
                    .map(|fault| format!("[{}] {}", fault.code, fault.cause))
                    .unwrap_or_default(),
            ),
            (
                "Remedy",
                fault.map(|fault| fault.remedy.clone()).unwrap_or_default(),
            ),
        ];
        let report: String = self.report.iter().map(|line| format!("  {line}\n")).collect();
        let report = if report.is_empty() {
            report
        } else {
            format!("\nReport:\n{report}")
        };
        [pairs(&rows), section("Steps", &self.steps, now, wide), report].concat()
    }
}
