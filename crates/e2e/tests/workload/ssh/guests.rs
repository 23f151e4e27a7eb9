//! Those who want onto a worker.

use std::{path::PathBuf, process::Command, time::Duration};

use e2e::{Caller, Ended, Platform, run};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";
pub const PROJECT: &str = "default";
/// Of no use to anybody: its private half is gone.
const PUBLIC: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

pub struct Guest {
    program: PathBuf,
    endpoint: String,
    pub caller: Caller,
    token: String,
}

pub struct Guests {
    pub admin: Guest,
    pub member: Guest,
    pub viewer: Guest,
    pub stranger: Guest,
}

impl Guests {
    pub fn invite(platform: &Platform) -> Self {
        let root = Caller::root(platform);
        root.call("POST", "/v1/orgs", &json!({"name": "rival"}));
        root.call("POST", "/v1/orgs/rival/projects", &json!({"name": "shop"}));
        let invite = |project: &str, email: &str, role: &str| {
            let path = format!("/v1/projects/{project}/members");
            let invited = root.call("POST", &path, &json!({"email": email, "role": role}));
            let taken = json!({"code": invited["code"], "password": PASSWORD});
            let pair = Caller::nobody(platform).call("POST", "/v1/invitations:accept", &taken);
            let token = pair["accessToken"].as_str().expect("a token").to_owned();
            Guest {
                program: platform.programs().cloud.clone(),
                endpoint: format!("http://{}", platform.listen()),
                caller: root.with(&token),
                token,
            }
        };
        Self {
            admin: invite(PROJECT, "bob@acme.example", "project_admin"),
            member: invite(PROJECT, "mia@acme.example", "project_member"),
            viewer: invite(PROJECT, "ana@acme.example", "project_viewer"),
            stranger: invite("shop", "eve@rival.example", "project_admin"),
        }
    }
}

impl Guest {
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .env_remove("PLASMACLOUD_CLIENT_FILE")
            .env("PLASMACLOUD_ENDPOINT", &self.endpoint)
            .env("PLASMACLOUD_TOKEN", &self.token)
            .env("PLASMACLOUD_PROJECT", PROJECT);
        command
    }

    pub fn cloud(&self, words: &[&str]) -> Ended {
        run(&mut self.command(words), Duration::from_secs(60))
    }

    /// What a tunnel to this instance takes, as `ssh-proxy` reads it.
    pub fn way(&self, instance: &str) -> Value {
        let path = format!("/v1/projects/{PROJECT}/instances/{instance}/ssh");
        let access = self.caller.call("POST", &path, &json!({"public": PUBLIC}));
        json!({"instance": access["instance"], "tunnel": access["tunnel"]})
    }

    pub fn log_out(&self) {
        self.caller.call("DELETE", "/v1/sessions", &Value::Null);
    }
}
