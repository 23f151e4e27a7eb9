//! Somebody with a role in the project, and the project's namespace that they use.

use std::time::Duration;

use e2e::{Cluster, Ended, run, run_with_input};
use serde_json::Value;

const CALL: Duration = Duration::from_secs(60);

pub struct Place<'a> {
    pub cluster: &'a Cluster<'a>,
    pub org: String,
    pub project: String,
    pub namespace: String,
}

impl<'a> Place<'a> {
    /// As the cluster itself shows it, once it does.
    pub fn of(cluster: &'a Cluster<'a>) -> Self {
        let asked = std::time::Instant::now();
        let found = e2e::eventually("there is a project's namespace", Duration::from_secs(20), || {
            let all = cluster.get(&["namespaces", "-l", "plasmacloud.io/tenant-type=project"])?;
            all["items"].get(0).cloned().ok_or_else(|| all.to_string())
        });
        eprintln!(
            "namespace seen {:.1} s after RUNNING",
            asked.elapsed().as_secs_f64()
        );
        let label = |key: &str| {
            found["metadata"]["labels"][format!("plasmacloud.io/{key}")]
                .as_str()
                .expect("a label")
                .to_owned()
        };
        Self {
            cluster,
            org: label("org-id"),
            project: label("project-id"),
            namespace: found["metadata"]["name"].as_str().expect("a name").to_owned(),
        }
    }

    /// Somebody who holds this role in the project: `admin`, `member`, `viewer`.
    pub fn holder(&self, role: &str) -> Person<'_> {
        self.person(&[format!("project:{}:{role}", self.project)])
    }

    pub fn org_admin(&self) -> Person<'_> {
        self.person(&[format!("org:{}:admin", self.org)])
    }

    /// Whom nothing in the cluster stops.
    pub fn super_admin(&self) -> Person<'_> {
        self.person(&["system:masters".to_owned()])
    }

    /// With the groups that every member of the project carries, and these.
    pub fn person(&self, groups: &[String]) -> Person<'_> {
        let mut all = vec![
            "system:authenticated".to_owned(),
            format!("org:{}", self.org),
            format!("project:{}", self.project),
        ];
        all.extend_from_slice(groups);
        Person {
            place: self,
            groups: all,
        }
    }

    /// One object of the namespace, as the cluster's own admin sees it.
    pub fn get(&self, kind: &str, name: &str) -> Result<Value, String> {
        self.cluster.get(&["-n", &self.namespace, kind, name])
    }
}

pub struct Person<'a> {
    place: &'a Place<'a>,
    groups: Vec<String>,
}

impl Person<'_> {
    /// `kubectl` in the project's namespace.
    pub fn kubectl(&self, words: &[&str]) -> Ended {
        run(&mut self.command(words), CALL)
    }

    pub fn kubectl_with(&self, words: &[&str], input: &str) -> Ended {
        run_with_input(&mut self.command(words), input, CALL)
    }

    fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = self.place.cluster.kubectl_command(&["-n", &self.place.namespace]);
        command.arg("--as=ana@acme.example");
        command.args(self.groups.iter().map(|group| format!("--as-group={group}")));
        command.args(words);
        command
    }

    /// The rules of all they may do in the namespace, as the API server counts them up.
    pub fn rules(&self) -> Vec<Value> {
        let asked = serde_json::json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": self.place.namespace},
        });
        let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
        let answer = self.kubectl_with(&["create", "--raw", path, "-f", "-"], &asked.to_string());
        answer.json()["status"]["resourceRules"]
            .as_array()
            .expect("rules")
            .clone()
    }

    /// Is refused by the platform's guard, which says so.
    #[track_caller]
    pub fn is_refused(&self, words: &[&str]) {
        self.is_refused_with(words, "");
    }

    #[track_caller]
    pub fn is_refused_with(&self, words: &[&str], input: &str) {
        let ended = self.kubectl_with(words, input);
        assert!(ended.code != Some(0), "was allowed: {}", ended.told());
        assert!(
            ended.stderr.contains("kept by PlasmaCloud") && ended.stderr.contains("plasmacloud-managed"),
            "refused, but not by the guard: {}",
            ended.told()
        );
    }

    /// Is refused because no role allows it.
    #[track_caller]
    pub fn is_forbidden(&self, words: &[&str]) {
        let ended = self.kubectl(words);
        assert!(ended.code != Some(0), "was allowed: {}", ended.told());
        let said = ended.stderr.to_lowercase();
        assert!(
            said.contains("forbidden") && said.contains("cannot"),
            "{}",
            ended.told()
        );
    }
}
