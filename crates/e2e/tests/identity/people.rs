//! Those who use the cluster, and how they are known there.

use std::{
    collections::BTreeSet, fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command, time::Duration,
};

use e2e::{Caller, Cluster, Ended, Platform, eventually, run};
use serde_json::{Value, json};

const KUBECTL: Duration = Duration::from_secs(60);
pub const PROJECT: &str = "default";
const PROJECT_ID: &str = "proj-0000000000000000";
const ORG_ID: &str = "org-0000000000000000";
pub const PASSWORD: &str = "correct horse battery staple";

pub struct People<'a> {
    pub root: Caller,
    pub cluster: &'a Cluster<'a>,
    kubectl: PathBuf,
    /// Says where the cluster is and nothing of who one is.
    kubeconfig: PathBuf,
    viewer: Value,
    admin: Value,
    boss: Value,
}

impl<'a> People<'a> {
    pub fn invite(platform: &Platform, cluster: &'a Cluster<'a>) -> Self {
        let root = Caller::root(platform);
        let invite = |path: &str, email: &str, role: &str| {
            let invited = root.call("POST", path, &json!({"email": email, "role": role}));
            let taken = json!({"code": invited["code"], "password": PASSWORD});
            Caller::nobody(platform).call("POST", "/v1/invitations:accept", &taken);
            // For this project, also where somebody has several.
            let login = json!({"email": email, "password": PASSWORD, "project": PROJECT_ID});
            Caller::nobody(platform).call("POST", "/v1/login", &login)
        };
        let members = format!("/v1/projects/{PROJECT}/members");
        let viewer = invite(&members, "ana@acme.example", "project_viewer");
        let admin = invite(&members, "bob@acme.example", "project_admin");
        let boss = invite("/v1/orgs/default/members", "boss@acme.example", "org_admin");
        Self {
            root,
            cluster,
            kubectl: platform.programs().kubectl.clone(),
            kubeconfig: anonymous(platform, cluster),
            viewer,
            admin,
            boss,
        }
    }

    pub fn viewers_token(&self) -> &str {
        self.viewer["accessToken"].as_str().expect("a token")
    }

    /// As a person with nothing but a token.
    pub fn kubectl(&self, token: &str, words: &[&str]) -> Ended {
        run(&mut self.kubectl_command(token, words), KUBECTL)
    }

    pub fn kubectl_command(&self, token: &str, words: &[&str]) -> Command {
        let mut command = Command::new(&self.kubectl);
        command
            .arg("--kubeconfig")
            .arg(&self.kubeconfig)
            .arg("--token")
            .arg(token)
            .args(words);
        command
    }

    /// What the cluster calls the holder; `Err` when it does not know them.
    pub fn whoami(&self, token: &str) -> Result<Value, String> {
        let text = self.kubectl(token, &["auth", "whoami", "-o", "json"]).try_ok()?;
        let review: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Ok(review["status"]["userInfo"].clone())
    }

    /// The cluster says 401 to it, and nothing else goes wrong.
    pub fn is_refused(&self, token: &str) -> Result<(), String> {
        let ended = self.kubectl(token, &["get", "--raw", "/api"]);
        let unauthorized =
            ended.stderr.contains("Unauthorized") || ended.stderr.contains("must be logged in");
        if ended.code != Some(0) && unauthorized {
            Ok(())
        } else {
            Err(ended.told())
        }
    }

    /// A token of a service account, made for this.
    pub fn account_token(&self, account: &str, seconds: u32) -> Value {
        let asked = json!({"serviceAccount": account, "ttlSeconds": seconds});
        self.root
            .call("POST", &format!("/v1/projects/{PROJECT}/tokens"), &asked)
    }

    /// A token for this one cluster.
    pub fn cluster_token(&self, holder: &str, cluster: &str) -> String {
        let path = format!("/v1/projects/{PROJECT}/clusters/{cluster}/token");
        let fresh = self.root.with(holder).call("POST", &path, &json!({}));
        fresh["token"].as_str().expect("a token").to_owned()
    }

    pub fn each_is_who_the_table_says(&self) {
        let (org, project) = (format!("org:{ORG_ID}"), format!("project:{PROJECT_ID}"));
        let token = |pair: &Value| pair["accessToken"].as_str().expect("a token").to_owned();
        self.root.call(
            "POST",
            &format!("/v1/projects/{PROJECT}/service-accounts"),
            &json!({"name": "ci", "role": "project_member"}),
        );
        let program = self.account_token("ci", 3600);
        let program = program["token"].as_str().expect("a token").to_owned();
        let admin = |of: &str| format!("{of}:admin");
        let expected = [
            (
                token(&self.viewer),
                "ana@acme.example",
                "project_viewer",
                vec![format!("{project}:viewer")],
            ),
            (
                token(&self.admin),
                "bob@acme.example",
                "project_admin",
                vec![admin(&project)],
            ),
            (
                token(&self.boss),
                "boss@acme.example",
                "org_admin",
                vec![admin(&org), "k8s:org-admin".to_owned()],
            ),
            (
                program,
                "sa-ci@default",
                "project_member",
                vec![format!("{project}:member"), "system:serviceaccounts".to_owned()],
            ),
        ];
        for (token, name, role, own) in expected {
            for token in [token.clone(), self.cluster_token(&token, self.cluster.name())] {
                let user = eventually("the cluster knows them", Duration::from_secs(20), || {
                    self.whoami(&token)
                });
                assert_eq!(user["username"], name, "{user}");
                // The apiserver itself adds the last to everybody it knows.
                let mut groups = own.clone();
                groups.extend([org.clone(), project.clone(), "system:authenticated".to_owned()]);
                let told: BTreeSet<&str> = user["groups"]
                    .as_array()
                    .expect("groups")
                    .iter()
                    .filter_map(Value::as_str)
                    .collect();
                assert_eq!(told, groups.iter().map(String::as_str).collect(), "{name}");
                assert_eq!(user["extra"]["org_id"], json!([ORG_ID]), "{name}");
                assert_eq!(user["extra"]["project_id"], json!([PROJECT_ID]), "{name}");
                assert_eq!(user["extra"]["roles"], json!([role]), "{name}");
            }
        }
    }
}

/// The cluster's kubeconfig without its user.
fn anonymous(platform: &Platform, cluster: &Cluster<'_>) -> PathBuf {
    let mut config = cluster.kubectl(&["config", "view", "--raw", "-o", "json"]).json();
    config["users"] = json!([]);
    for context in config["contexts"].as_array_mut().expect("contexts") {
        context["context"]["user"] = json!("");
    }
    let path = platform.dir().join("nobody.kubeconfig");
    fs::write(&path, config.to_string()).expect("the test's own directory");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("our own file");
    path
}
