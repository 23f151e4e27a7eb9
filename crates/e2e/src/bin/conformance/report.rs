//! What ginkgo reports of each spec, without what the spec said on its way.

use std::time::Duration;

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// It found that the cluster lacks what it needs.
    Skipped,
    /// The run ended before it did.
    Interrupted,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Spec {
    pub name: String,
    pub outcome: Outcome,
    /// Why it failed or was skipped.
    pub message: String,
    pub took: Duration,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Run {
    special_suite_failure_reasons: Option<Vec<String>>,
    spec_reports: Option<Vec<Entry>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry {
    container_hierarchy_texts: Option<Vec<String>>,
    leaf_node_type: String,
    leaf_node_text: String,
    state: String,
    run_time: u64,
    #[serde(default)]
    failure: Failure,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase")]
struct Failure {
    #[serde(default)]
    message: String,
}

/// The specs that were chosen. A suite that could not begin, or went to pieces, is an error.
pub fn read(text: &[u8]) -> Result<Vec<Spec>, String> {
    let runs: Vec<Run> = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let mut specs = Vec::new();
    for run in runs {
        for entry in run.spec_reports.unwrap_or_default() {
            if entry.leaf_node_type == "It" {
                specs.extend(entry.spec()?);
            } else if entry.state == "failed" {
                return Err(format!(
                    "{} failed: {}",
                    entry.leaf_node_type, entry.failure.message
                ));
            }
        }
        let reasons = run.special_suite_failure_reasons.unwrap_or_default();
        // An interrupted run has specs that say so.
        let told = specs
            .iter()
            .any(|spec| matches!(spec.outcome, Outcome::Failed | Outcome::Interrupted));
        if !reasons.is_empty() && !told {
            return Err(reasons.join("; "));
        }
    }
    Ok(specs)
}

impl Entry {
    fn spec(self) -> Result<Option<Spec>, String> {
        let outcome = match self.state.as_str() {
            "passed" => Outcome::Passed,
            "failed" | "panicked" | "timedout" => Outcome::Failed,
            "interrupted" | "aborted" => Outcome::Interrupted,
            // One that was not chosen has no reason.
            "skipped" | "pending" if self.failure.message.is_empty() => return Ok(None),
            "skipped" => Outcome::Skipped,
            other => return Err(format!("unknown state '{other}' of {}", self.leaf_node_text)),
        };
        let mut words = self.container_hierarchy_texts.unwrap_or_default();
        words.push(self.leaf_node_text);
        Ok(Some(Spec {
            name: words.join(" "),
            outcome,
            message: self.failure.message,
            took: Duration::from_nanos(self.run_time),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(state: &str, message: &str) -> Vec<u8> {
        format!(
            r#"[{{"SpecReports": [
              {{"ContainerHierarchyTexts": null, "LeafNodeType": "SynchronizedBeforeSuite", "LeafNodeText": "",
                "State": "passed", "RunTime": 1}},
              {{"ContainerHierarchyTexts": ["[sig-a] A", "when"], "LeafNodeType": "It", "LeafNodeText": "works",
                "State": "{state}", "RunTime": 2000000000, "Failure": {{"Message": "{message}"}}}}]}}]"#
        )
        .into_bytes()
    }

    #[test]
    fn a_spec_has_its_whole_name_and_its_reason() {
        let specs = read(&report("timedout", "too late")).unwrap();
        let wanted = Spec {
            name: "[sig-a] A when works".to_owned(),
            outcome: Outcome::Failed,
            message: "too late".to_owned(),
            took: Duration::from_secs(2),
        };
        assert_eq!(specs, [wanted]);
    }

    #[test]
    fn what_was_not_chosen_is_not_skipped() {
        assert_eq!(read(&report("skipped", "")).unwrap(), []);
        assert_eq!(
            read(&report("skipped", "no GPU")).unwrap()[0].outcome,
            Outcome::Skipped
        );
    }

    #[test]
    fn a_suite_that_did_not_begin_and_a_new_word_are_errors() {
        let text = String::from_utf8(report("passed", "")).unwrap();
        let broken = text.replacen("passed", "failed", 1);
        assert!(
            read(broken.as_bytes())
                .unwrap_err()
                .starts_with("SynchronizedBeforeSuite failed")
        );
        assert!(read(&report("elsewhere", "")).is_err());
    }
}
