//! The result as a page: how many passed, and each that did not with its cause.

use std::{fmt, process::Command, time::Duration};

use crate::{
    known::Known,
    report::{Outcome, Spec},
};

/// As much of a cause as fits a line of a table.
const CAUSE: usize = 200;

pub struct Page<'a> {
    specs: &'a [Spec],
    known: &'a Known,
    took: Duration,
}

impl<'a> Page<'a> {
    pub fn new(specs: &'a [Spec], known: &'a Known, took: Duration) -> Self {
        Self { specs, known, took }
    }

    fn with(&self, outcome: Outcome) -> Vec<&'a Spec> {
        let chosen = self.specs.iter().filter(|spec| spec.outcome == outcome);
        let mut chosen: Vec<_> = chosen.collect();
        chosen.sort_by(|a, b| a.name.cmp(&b.name));
        chosen
    }

    /// Those that should have passed.
    pub fn unexpected(&self) -> Vec<String> {
        let unfinished = self.with(Outcome::Interrupted);
        let failed = self.with(Outcome::Failed).into_iter().chain(unfinished);
        failed
            .filter(|spec| self.known.reason(&spec.name).is_none())
            .map(|spec| spec.name.clone())
            .collect()
    }
}

impl fmt::Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |outcome| self.with(outcome).len();
        writeln!(f, "# Conformance: the result of `make conformance`\n")?;
        writeln!(
            f,
            "Kubernetes {}, upstream's `e2e.test` of the same release, a cluster of 2 workers; {}; {}.\n",
            bundle::catalogue::resolve(bundle::DEFAULT_LINE)
                .map_or_else(|e| e.to_string(), |line| line.patch),
            printed("date", &["-u", "+%F"]),
            host(),
        )?;
        writeln!(
            f,
            "| passed | failed | skipped | unfinished | time |\n|---|---|---|---|---|"
        )?;
        writeln!(
            f,
            "| {} | {} | {} | {} | {} min |",
            count(Outcome::Passed),
            count(Outcome::Failed),
            count(Outcome::Skipped),
            count(Outcome::Interrupted),
            self.took.as_secs().div_ceil(60),
        )?;
        for (title, outcome) in [("Failed", Outcome::Failed), ("Skipped", Outcome::Skipped)] {
            let specs = self.with(outcome);
            if specs.is_empty() {
                continue;
            }
            writeln!(
                f,
                "\n## {title}\n\n| spec | cause | why it is accepted |\n|---|---|---|"
            )?;
            for spec in specs {
                let reason = self.known.reason(&spec.name);
                let reason = reason.unwrap_or(if outcome == Outcome::Failed {
                    "it is not"
                } else {
                    ""
                });
                writeln!(f, "| {} | {} | {reason} |", spec.name, cause(&spec.message))?;
            }
        }
        let passes = self
            .with(Outcome::Passed)
            .into_iter()
            .filter(|spec| self.known.reason(&spec.name).is_some());
        for spec in passes {
            writeln!(f, "\nListed as one that cannot pass, and passed: {}", spec.name)?;
        }
        Ok(())
    }
}

fn cause(message: &str) -> String {
    let line = message
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|");
    match line.char_indices().nth(CAUSE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn host() -> String {
    format!(
        "{} cores, Linux {}",
        printed("nproc", &[]),
        printed("uname", &["-r"])
    )
}

fn printed(program: &str, words: &[&str]) -> String {
    let ended = e2e::run(Command::new(program).args(words), Duration::from_secs(10));
    ended.ok().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, outcome: Outcome) -> Spec {
        Spec {
            name: name.to_owned(),
            outcome,
            message: "a | b\n  c".to_owned(),
            took: Duration::ZERO,
        }
    }

    #[test]
    fn only_what_failed_without_a_reason_is_unexpected() {
        let known = Known::parse("[[spec]]\nname = 'known'\nreason = 'no SCTP'").unwrap();
        let specs = [
            spec("fine", Outcome::Passed),
            spec("known", Outcome::Failed),
            spec("new", Outcome::Failed),
            spec("cut", Outcome::Interrupted),
        ];
        let page = Page::new(&specs, &known, Duration::from_secs(61));
        assert_eq!(page.unexpected(), ["new", "cut"]);
        let text = page.to_string();
        assert!(text.contains("| 1 | 2 | 0 | 1 | 2 min |"), "{text}");
        assert!(text.contains("| known | a \\| b c | no SCTP |"), "{text}");
    }
}
