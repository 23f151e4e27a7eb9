//! A cluster of the platform under test, used as its owner uses it: through `cloud` and `kubectl`.

use std::{path::PathBuf, process::Command, time::Duration};

use serde_json::Value;

use crate::{
    command::{Ended, run, run_with_input},
    host::Machine,
    platform::Platform,
    wait::eventually,
};

const KUBECTL: Duration = Duration::from_secs(120);

pub struct Cluster<'a> {
    platform: &'a Platform,
    name: String,
    kubeconfig: PathBuf,
}

impl<'a> Cluster<'a> {
    /// Creates it and waits; `more` are further words for `cloud k8s create`.
    pub fn create(platform: &'a Platform, name: &str, vpc: &str, workers: u32, more: &[&str]) -> Self {
        let workers = workers.to_string();
        let mut words = vec![
            "k8s",
            "create",
            "--name",
            name,
            "--vpc",
            vpc,
            "--workers",
            &workers,
        ];
        words.extend_from_slice(more);
        let ended = platform.cloud(&words);
        eprintln!("cluster {name} created in {:.1} s", ended.took.as_secs_f64());
        ended.ok();
        let cluster = Self::open(platform, name);
        // Whether it is there at once is asked by a test of its own.
        eventually("pods can be made", KUBECTL, || {
            cluster.get(&["serviceaccount", "default"])
        });
        cluster
    }

    /// One that exists.
    pub fn open(platform: &'a Platform, name: &str) -> Self {
        let kubeconfig = platform.dir().join(format!("{name}.kubeconfig"));
        let text = platform.cloud(&["k8s", "kubeconfig", name]).ok();
        std::fs::write(&kubeconfig, text).expect("the test's own directory");
        Self {
            platform,
            name: name.to_owned(),
            kubeconfig,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn kubectl_command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.platform.programs().kubectl);
        command.arg("--kubeconfig").arg(&self.kubeconfig).args(words);
        command.env("HOME", self.platform.dir());
        command
    }

    pub fn kubectl(&self, words: &[&str]) -> Ended {
        run(&mut self.kubectl_command(words), KUBECTL)
    }

    pub fn kubeconfig(&self) -> &std::path::Path {
        &self.kubeconfig
    }

    #[track_caller]
    pub fn apply(&self, manifest: &str) {
        run_with_input(
            &mut self.kubectl_command(&["apply", "-f", "-"]),
            manifest,
            KUBECTL,
        )
        .ok();
    }

    /// Objects as JSON; `Err` says why not, for a condition that is asked again.
    pub fn get(&self, words: &[&str]) -> Result<Value, String> {
        let words: Vec<&str> = ["get", "-o", "json"].iter().chain(words).copied().collect();
        let text = self.kubectl(&words).try_ok()?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    /// A shell line in a pod.
    pub fn shell(&self, pod: &str, line: &str) -> Ended {
        self.kubectl(&["exec", pod, "--", "/bin/sh", "-c", line])
    }

    pub fn wait_for_pods(&self, selector: &str, count: usize) -> Vec<Value> {
        eventually(
            &format!("{count} pods of {selector} are ready"),
            Duration::from_secs(120),
            || {
                let pods = self.get(&["pods", "-l", selector])?;
                let pods = pods["items"].as_array().cloned().unwrap_or_default();
                let ready = pods
                    .iter()
                    .filter(|pod| is_true(&pod["status"]["conditions"], "Ready"))
                    .count();
                let seen = || {
                    pods.iter()
                        .map(|pod| format!("{} {}", pod["metadata"]["name"], pod["status"]))
                        .collect()
                };
                if ready == count && pods.len() == count {
                    Ok(pods)
                } else {
                    Err(seen())
                }
            },
        )
    }

    /// What the platform says of it.
    pub fn view(&self) -> Value {
        self.platform
            .cloud(&["k8s", "get", &self.name, "-o", "json"])
            .json()
    }

    /// Phase and reason.
    pub fn phase(&self) -> (String, String) {
        let view = self.view();
        let word = |key: &str| view["cluster"][key].as_str().unwrap_or_default().to_owned();
        (word("phase"), word("reason"))
    }

    /// Waits for a phase and gives its reason.
    pub fn wait_for_phase(&self, wanted: &str, within: Duration) -> String {
        eventually(&format!("cluster {} is {wanted}", self.name), within, || {
            let (phase, reason) = self.phase();
            if phase == wanted {
                Ok(reason)
            } else {
                Err(format!("{phase}: {reason}\n{}", self.platform.log_end("cloudd")))
            }
        })
    }

    /// Names of its nodes, in order.
    pub fn node_names(&self) -> Vec<String> {
        let nodes = self.get(&["nodes"]).expect("nodes");
        let names = nodes["items"].as_array().expect("a list").iter();
        names
            .map(|node| node["metadata"]["name"].as_str().expect("a name").to_owned())
            .collect()
    }

    pub fn plane(&self) -> Machine {
        Machine::named(self.platform.mark(), &format!("{}-plane", self.name))
    }

    /// Deletes it and gives the report.
    #[track_caller]
    pub fn delete(&self) -> String {
        self.platform.cloud(&["k8s", "delete", &self.name]).ok()
    }
}

/// Whether a condition of that type is there and true.
pub fn is_true(conditions: &Value, kind: &str) -> bool {
    let all = conditions.as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter()
        .any(|condition| condition["type"] == kind && condition["status"] == "True")
}
