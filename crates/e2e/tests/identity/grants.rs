//! Rights in one cluster for somebody of another project: what they may do with them, and that it ends.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use e2e::{Caller, Ended, Platform, eventually, run, run_with_input};
use serde_json::{Value, json};

use super::people::{PASSWORD, PROJECT, People};

const CALL: Duration = Duration::from_secs(60);
const SECONDS: Duration = Duration::from_secs(15);
/// The apiserver's cache and a little more.
const CACHED: Duration = Duration::from_secs(150);

const WHO: &str = "gia@acme.example";

/// Somebody of the project `blog`, with `cloud` and the kubeconfig it gave them.
pub struct Grantee<'a> {
    platform: &'a Platform,
    token: String,
    kubeconfig: PathBuf,
}

/// With a role in a project that has no cluster.
pub fn stranger<'a>(people: &People<'_>, platform: &'a Platform) -> Grantee<'a> {
    people
        .root
        .call("POST", "/v1/orgs/default/projects", &json!({"name": "blog"}));
    let asked = json!({"email": WHO, "role": "project_viewer"});
    let invited = people.root.call("POST", "/v1/projects/blog/members", &asked);
    let taken = json!({"code": invited["code"], "password": PASSWORD});
    let pair = Caller::nobody(platform).call("POST", "/v1/invitations:accept", &taken);
    let grantee = Grantee {
        platform,
        token: pair["accessToken"].as_str().expect("a token").to_owned(),
        kubeconfig: platform.dir().join("gia.kubeconfig"),
    };
    people.is_refused(&grantee.token).expect("nobody let her in");
    grantee.sees_nothing();
    grantee
}

impl Grantee<'_> {
    fn command(&self, program: &std::path::Path) -> Command {
        let mut command = Command::new(program);
        let cloud = &self.platform.programs().cloud;
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env_remove("PLASMACLOUD_CLIENT_FILE")
            .env("HOME", self.platform.dir())
            .env("PLASMACLOUD_CONFIG_DIR", self.platform.dir().join("gia"))
            .env(
                "PLASMACLOUD_ENDPOINT",
                format!("http://{}", self.platform.listen()),
            )
            .env("PLASMACLOUD_TOKEN", &self.token)
            .env("PLASMACLOUD_PROJECT", "blog")
            .env(
                "PATH",
                format!("{}:{path}", cloud.parent().expect("a directory").display()),
            );
        command
    }

    fn cloud(&self, words: &[&str]) -> Ended {
        run(self.command(&self.platform.programs().cloud).args(words), CALL)
    }

    /// As she types it: the kubeconfig has `cloud` say who she is.
    fn kubectl(&self, words: &[&str]) -> Ended {
        self.kubectl_with(words, "")
    }

    fn kubectl_with(&self, words: &[&str], input: &str) -> Ended {
        let mut command = self.command(&self.platform.programs().kubectl);
        command.arg("--kubeconfig").arg(&self.kubeconfig).args(words);
        run_with_input(&mut command, input, CALL)
    }

    fn sees_nothing(&self) {
        for words in [["k8s", "get"], ["k8s", "token"], ["k8s", "kubeconfig"]] {
            let ended = self.cloud(&[words[0], words[1], "dev", "--project", PROJECT]);
            assert!(ended.code == Some(3), "{}", ended.told());
            assert!(ended.stderr.contains("project-not-found"), "{}", ended.told());
        }
    }

    #[track_caller]
    fn is_forbidden(&self, words: &[&str]) {
        let ended = self.kubectl(words);
        let said = ended.stderr.to_lowercase();
        assert!(
            ended.code != Some(0) && said.contains("forbidden") && said.contains("cannot"),
            "{}",
            ended.told()
        );
    }

    /// All she may do in a namespace, as the API server counts it up.
    fn rules(&self, namespace: &str) -> Vec<Value> {
        let asked = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": namespace},
        });
        let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
        let answer = self.kubectl_with(&["create", "--raw", path, "-f", "-"], &asked.to_string());
        answer.json()["status"]["resourceRules"]
            .as_array()
            .expect("rules")
            .clone()
    }
}

fn granted(platform: &Platform, words: &[&str]) -> Value {
    let mut all = vec!["k8s", "grant", "dev"];
    all.extend(words);
    all.extend(["-o", "json"]);
    platform.cloud(&all).json()
}

fn in_force(platform: &Platform, id: &Value) {
    eventually("the grant is in force", SECONDS, || {
        let list = platform.cloud(&["k8s", "grants", "dev", "-o", "json"]).json();
        let all = list["grants"].as_array().cloned().unwrap_or_default();
        let found = all.iter().find(|grant| grant["id"] == *id);
        match found {
            Some(grant) if grant["state"] == "in-force" => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
}

pub fn viewer_of_one_namespace(people: &People<'_>, grantee: &Grantee<'_>) {
    let platform = grantee.platform;
    let words = [WHO, "--role", "viewer", "--namespace", "web"];
    let grant = granted(platform, &words);
    assert_eq!(grant["state"], "waiting", "there is no such namespace: {grant}");
    assert_eq!(
        granted(platform, &words)["id"],
        grant["id"],
        "the same twice is once"
    );
    for namespace in ["web", "other"] {
        people.cluster.kubectl(&["create", "namespace", namespace]).ok();
        let words = [
            "create",
            "configmap",
            "-n",
            namespace,
            "here",
            "--from-literal=a=b",
        ];
        people.cluster.kubectl(&words).ok();
    }
    in_force(platform, &grant["id"]);

    let text = grantee
        .cloud(&["k8s", "kubeconfig", "dev", "--project", PROJECT])
        .ok();
    assert!(
        text.contains("namespace: web") && !text.contains(&grantee.token),
        "{text}"
    );
    fs::write(&grantee.kubeconfig, text).expect("the test's own directory");
    let seen = eventually("she is let in", SECONDS, || {
        grantee.kubectl(&["get", "configmaps", "-o", "name"]).try_ok()
    });
    assert!(seen.contains("configmap/here"), "{seen}");
    let own: Vec<Value> = {
        let everybody = grantee.rules("other");
        let rules = grantee.rules("web").into_iter();
        rules.filter(|rule| !everybody.contains(rule)).collect()
    };
    let role = people
        .cluster
        .get(&["clusterrole", "plasmacloud-grant-viewer"])
        .expect("it is kept");
    let mut wanted = role["rules"].as_array().expect("rules").clone();
    let (mut found, text) = (own, role.to_string());
    found.sort_by_key(Value::to_string);
    wanted.sort_by_key(Value::to_string);
    assert_eq!(found, wanted, "its rules and nothing more");
    assert!(!text.contains("secrets") && !text.contains('*'), "{text}");
    let list = grantee.kubectl(&["auth", "can-i", "--list"]).ok();
    assert!(list.contains("pods/log") && !list.contains("delete"), "{list}");
    for words in [
        &["get", "configmaps", "-n", "other"][..],
        &["get", "configmaps", "-A"],
        &["get", "secrets"],
        &["get", "nodes"],
        &["get", "pods", "-n", "kube-system"],
        &["create", "configmap", "mine"],
    ] {
        grantee.is_forbidden(words);
    }
    // Of the platform she sees this cluster, and nothing else of its project.
    let list = grantee.cloud(&["k8s", "list", "--granted"]).ok();
    assert!(list.contains("viewer in web"), "{list}");
    let seen = grantee
        .cloud(&["k8s", "get", "dev", "--project", PROJECT, "-o", "json"])
        .json();
    assert_eq!(seen["instances"], json!([]), "{seen}");
    for words in [
        ["k8s", "list"],
        ["vpc", "list"],
        ["user", "list"],
        ["events", "-o=json"],
    ] {
        let ended = grantee.cloud(&[words[0], words[1], "--project", PROJECT]);
        assert!(ended.stderr.contains("project-not-found"), "{}", ended.told());
    }
}

/// What binds her is ours: guarded, and put right.
pub fn kept(people: &People<'_>) {
    let binding = ["rolebinding", "plasmacloud-grant-viewer-binding", "-n", "web"];
    let delete = |more: &[&str]| {
        let mut words = vec!["delete"];
        words.extend(binding);
        words.extend(more);
        people.cluster.kubectl(&words)
    };
    let refused = delete(&[]);
    assert!(
        refused.stderr.contains("kept by PlasmaCloud"),
        "{}",
        refused.told()
    );
    let before = people.cluster.get(&binding).expect("it");
    delete(&["--as=root", "--as-group=system:masters"]).ok();
    eventually("the binding is there anew", SECONDS, || {
        let now = people.cluster.get(&binding)?;
        if now["metadata"]["uid"] != before["metadata"]["uid"] && now["subjects"] == before["subjects"] {
            Ok(())
        } else {
            Err(now.to_string())
        }
    });
    people.cluster.kubectl(&["delete", "namespace", "web"]).ok();
    people.cluster.kubectl(&["create", "namespace", "web"]).ok();
    eventually("it follows its namespace", SECONDS, || {
        people.cluster.get(&binding)
    });
}

/// Everywhere but in Kubernetes' own namespaces, and not over what the platform keeps.
pub fn admin_everywhere(people: &People<'_>, grantee: &Grantee<'_>) {
    let platform = grantee.platform;
    let grant = granted(platform, &[WHO, "--role", "admin"]);
    in_force(platform, &grant["id"]);
    let create = |namespace: &str| ["create", "configmap", "mine", "-n", namespace].map(str::to_owned);
    let may = |namespace: &str| {
        let words = create(namespace);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        eventually("she may work there", SECONDS, || grantee.kubectl(&words).try_ok());
    };
    for namespace in ["default", "other", "web"] {
        may(namespace);
    }
    people.cluster.kubectl(&["create", "namespace", "late"]).ok();
    may("late");
    grantee.kubectl(&["get", "pods", "-A"]).ok();
    for words in [
        &["create", "configmap", "mine", "-n", "kube-system"][..],
        &["get", "secrets", "-n", "kube-system"],
        &["create", "token", "namespace-controller", "-n", "kube-system"],
        &["create", "namespace", "mine"],
        &["delete", "node", "--all"],
        &["delete", "clusterrolebinding", "plasmacloud-grant-viewer-binding"],
        &[
            "create",
            "rolebinding",
            "x",
            "--clusterrole=admin",
            "--user=x",
            "-n",
            "web",
        ],
    ] {
        grantee.is_forbidden(words);
    }
    let own = format!("project-{}", "proj-0000000000000000");
    for what in [
        "resourcequota/project-object-quota",
        "networkpolicy/default-deny-all",
    ] {
        let ended = grantee.kubectl(&["delete", what, "-n", &own]);
        assert!(ended.stderr.contains("kept by PlasmaCloud"), "{}", ended.told());
    }
    let label = "pod-security.kubernetes.io/enforce=privileged";
    let ended = grantee.kubectl(&["label", "namespace", &own, "-n", &own, label, "--overwrite"]);
    assert!(ended.stderr.contains("kept by PlasmaCloud"), "{}", ended.told());
}

/// A token the cluster has seen, to be refused when its memory ends.
pub fn revoked(people: &People<'_>, grantee: &Grantee<'_>) -> String {
    let fresh = || people.cluster_token(&grantee.token, "dev");
    let (used, unused) = (fresh(), fresh());
    let user = people.whoami(&used).expect("it is good");
    assert_eq!(
        user["extra"].get("project_id"),
        None,
        "she is not of the project: {user}"
    );
    let told = grantee.platform.cloud(&["k8s", "revoke", "dev", WHO]).ok();
    assert_eq!(told.lines().count(), 2, "{told}");
    eventually("a token it has not seen is refused", SECONDS, || {
        people.is_refused(&unused)
    });
    grantee.sees_nothing();
    let bindings = || {
        let all = people.cluster.get(&["rolebindings", "-A"])?;
        match all.to_string().matches("plasmacloud-grant-").count() {
            0 => Ok(()),
            _ => Err(all.to_string()),
        }
    };
    eventually("nothing is bound any more", SECONDS, bindings);
    used
}

pub fn forgotten(people: &People<'_>, used: &str) {
    eventually("a token it remembered is refused", CACHED, || {
        people.is_refused(used)
    });
}
