//! A cluster that two projects use, as an organisation's administrator sets it up and the people of both see it.

use std::{fs, time::Duration};

use e2e::{Caller, Ended, Platform, eventually, holds_for, run};
use serde_json::{Value, json};

use super::{objects, person::Place};

const SECONDS: Duration = Duration::from_secs(10);
const CALL: Duration = Duration::from_secs(60);
const GRACE_S: u64 = 12;
const PASSWORD: &str = "correct horse battery staple";

/// Somebody who comes with a token of the platform and nothing else.
struct Guest<'a> {
    place: &'a Place<'a>,
    caller: Caller,
    project: &'static str,
}

impl<'a> Guest<'a> {
    fn invited(
        place: &'a Place<'a>,
        platform: &Platform,
        email: &str,
        role: &str,
        project: &'static str,
    ) -> Self {
        let root = Caller::root(platform);
        let asked = json!({"email": email, "role": role});
        let invited = root.call("POST", &format!("/v1/projects/{project}/members"), &asked);
        let taken = json!({"code": invited["code"], "password": PASSWORD});
        let pair = Caller::nobody(platform).call("POST", "/v1/invitations:accept", &taken);
        Self {
            place,
            caller: root.with(pair["accessToken"].as_str().expect("a token")),
            project,
        }
    }

    fn token(&self) -> (u16, Value) {
        let path = format!("/v1/projects/{}/clusters/dev/token", self.project);
        self.caller.try_call("POST", &path, &json!({}))
    }

    /// With a fresh token, which the cluster has not seen.
    fn kubectl(&self, words: &[&str]) -> Ended {
        let token = match self.token() {
            (200, fresh) => fresh["token"].as_str().expect("a token").to_owned(),
            other => panic!("{other:?}"),
        };
        let view = ["config", "view", "--raw", "-o", "json"];
        let mut config = self.place.cluster.kubectl(&view).json();
        config["users"][0]["user"] = json!({"token": token});
        let file = self.place.cluster.kubeconfig().with_extension("guest");
        fs::write(&file, config.to_string()).expect("the test's own directory");
        let mut command = self.place.cluster.kubectl_command(&[]);
        command.arg("--kubeconfig").arg(&file).args(words);
        run(&mut command, CALL)
    }

    #[track_caller]
    fn is_forbidden(&self, words: &[&str]) {
        let ended = self.kubectl(words);
        let said = ended.stderr.to_lowercase();
        let forbidden = ended.code != Some(0) && said.contains("forbidden") && said.contains("cannot");
        assert!(forbidden, "{}", ended.told());
    }
}

fn namespace(platform: &Platform, project: &str) -> String {
    let project = platform.cloud(&["project", "get", project, "-o", "json"]).json();
    format!("project-{}", project["id"].as_str().expect("an id"))
}

fn is_gone(place: &Place<'_>, namespace: &str) -> Result<(), String> {
    match place.cluster.get(&["namespace", namespace]) {
        Err(told) if told.contains("NotFound") => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

pub fn two_projects(place: &Place<'_>, platform: &Platform) {
    let settings = format!("share_grace_seconds = {GRACE_S}\n");
    fs::write(platform.settings(), settings).expect("writable");
    platform.restart_cloudd();
    platform
        .cloud(&["project", "create", "blog", "--org", "default"])
        .ok();
    let member = Guest::invited(place, platform, "gus@acme.example", "project_member", "blog");
    let admin = Guest::invited(place, platform, "ada@acme.example", "project_admin", "default");
    let credentials = |who: &Guest<'_>| {
        let path = "/v1/projects/default/clusters/dev/credentials";
        who.caller
            .try_call("POST", path, &json!({"kind": "admin.conf"}))
            .0
    };
    assert_eq!(credentials(&admin), 200);
    assert_eq!(member.token().0, 404, "nothing was shared yet");
    platform.cloud(&["k8s", "share", "dev", "--with", "blog"]).ok();
    assert_eq!(credentials(&admin), 403, "it is not one project's any more");

    let theirs = namespace(platform, "blog");
    eventually("the second project has its namespace, whole", SECONDS, || {
        let found = objects::managed(place.cluster, &theirs)?;
        if found.len() == 14 && found.contains("NetworkPolicy allow-org-shared") {
            Ok(())
        } else {
            Err(format!("{found:?}"))
        }
    });
    let shared = format!("org-{}-shared", place.org);
    eventually("the organisation has one", SECONDS, || {
        place.cluster.get(&["namespace", &shared])
    });
    // Each in their own, and nowhere else.
    let (own, theirs) = (place.namespace.as_str(), theirs.as_str());
    eventually("its people get there", SECONDS, || {
        member
            .kubectl(&["create", "configmap", "mine", "-n", theirs])
            .try_ok()
    });
    member.is_forbidden(&["get", "configmaps", "-n", own]);
    member.is_forbidden(&["get", "configmaps", "-n", &shared]);
    member.is_forbidden(&["get", "namespaces"]);
    admin.kubectl(&["create", "configmap", "mine", "-n", own]).ok();
    admin.is_forbidden(&["get", "configmaps", "-n", theirs]);
    admin.is_forbidden(&["get", "configmaps", "-n", &shared]);
    let words = ["create", "configmap", "for-all", "-n", &shared];
    place.org_admin().kubectl(&words).ok();
    let list = platform.cloud(&["k8s", "list", "--project", "blog"]).ok();
    assert!(
        list.contains("Shared with this project") && list.contains("default"),
        "{list}"
    );
    let refused = platform.cloud(&["k8s", "delete", "dev"]);
    assert!(refused.stderr.contains("cluster-shared"), "{}", refused.told());
}

/// Whatever cluster its namespaces are in.
pub fn quota_follows(place: &Place<'_>, platform: &Platform) {
    let theirs = namespace(platform, "blog");
    for vcpu in ["3", "7"] {
        let quota = format!("vcpu={vcpu}");
        platform
            .cloud(&["quota", "set", "--project", "blog", "--quota", &quota])
            .ok();
        let asked = std::time::Instant::now();
        eventually(
            "the namespace has the project's quota",
            Duration::from_secs(5),
            || {
                let found = place
                    .cluster
                    .get(&["resourcequota", "project-compute-quota", "-n", &theirs])?;
                let hard = &found["spec"]["hard"]["requests.cpu"];
                if hard == vcpu {
                    Ok(())
                } else {
                    Err(hard.to_string())
                }
            },
        );
        eprintln!("     quota in force after {:.1} s", asked.elapsed().as_secs_f64());
    }
}

pub fn ended(place: &Place<'_>, platform: &Platform) {
    let theirs = namespace(platform, "blog");
    let before = place.cluster.get(&["namespace", &theirs]).expect("it");
    let uid = |found: &Value| found["metadata"]["uid"].clone();
    let unshare = ["k8s", "unshare", "dev", "--with", "blog"];
    let share = ["k8s", "share", "dev", "--with", "blog"];
    platform.cloud(&unshare).ok();
    let gone = platform.cloud(&["k8s", "get", "dev", "--project", "blog"]);
    assert!(gone.code == Some(3), "{}", gone.told());
    // Guarded as before, while it waits.
    place
        .person(&["plasmacloud:cluster-admins".to_owned()])
        .is_refused(&["delete", "namespace", &theirs]);
    platform.cloud(&share).ok();
    holds_for(
        "what was taken back in time stays",
        Duration::from_secs(GRACE_S + 3),
        || {
            let found = place.cluster.get(&["namespace", &theirs])?;
            if uid(&found) == uid(&before) && found["status"]["phase"] == "Active" {
                Ok(())
            } else {
                Err(found.to_string())
            }
        },
    );
    platform.cloud(&unshare).ok();
    place
        .cluster
        .get(&["namespace", &theirs])
        .expect("it has time left");
    eventually("it goes when its time is over", Duration::from_secs(60), || {
        is_gone(place, &theirs)
    });
    // With the project itself, too.
    platform.cloud(&share).ok();
    eventually("it is made anew", SECONDS, || {
        place.cluster.get(&["namespace", &theirs])
    });
    platform.cloud(&["project", "delete", "blog"]).ok();
    place
        .cluster
        .get(&["namespace", &theirs])
        .expect("it has time left");
    eventually("it goes after its project", Duration::from_secs(60), || {
        is_gone(place, &theirs)
    });
    place
        .get("resourcequota", "project-object-quota")
        .expect("ours stays");
}
