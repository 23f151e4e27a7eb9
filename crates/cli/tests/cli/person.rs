//! Somebody with a home of their own and nothing of the operator's: no client file, only what `cloud login` keeps.

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::site::{Ran, Site, bare};

pub const PASSWORD: &str = "correct horse battery";

pub struct Person {
    pub home: PathBuf,
    pub endpoint: String,
}

impl Person {
    pub fn at(site: &Site, name: &str) -> Self {
        let home = site.home.path().join(name);
        fs::create_dir_all(&home).unwrap();
        Self {
            home,
            endpoint: site.endpoint.clone(),
        }
    }

    /// Invited by the operator with a role in a project, and logged in.
    pub fn invited(site: &Site, email: &str, role: &str, project: &str) -> Self {
        let person = Self::at(site, email);
        let ran = person.login_with(&invitation(site, email, role, project));
        assert_eq!(ran.code, 0, "{ran:?}");
        person
    }

    pub fn login_with(&self, code: &str) -> Ran {
        fs::write(self.home.join("code"), code).unwrap();
        let code = self.home.join("code");
        let words = [
            "login",
            "--endpoint",
            &self.endpoint,
            "--invitation-file",
            code.to_str().unwrap(),
        ];
        self.fed(&words, &format!("{PASSWORD}\n"))
    }

    pub fn command(&self, words: &[&str]) -> Command {
        bare(&self.home, words)
    }

    pub fn run(&self, words: &[&str]) -> Ran {
        Ran::from(self.command(words).output().unwrap())
    }

    pub fn done(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.code, 0, "{words:?}: {}", ran.err);
        ran.out
    }

    /// With something on standard input.
    pub fn fed(&self, words: &[&str], input: &str) -> Ran {
        let mut child = self
            .command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ran::from(child.wait_with_output().unwrap())
    }

    pub fn credentials(&self) -> PathBuf {
        self.home.join(".config/plasmacloud/credentials.toml")
    }

    pub fn stored(&self) -> toml::Table {
        fs::read_to_string(self.credentials()).unwrap().parse().unwrap()
    }

    /// Of the only context.
    pub fn stored_value(&self, key: &str) -> toml::Value {
        self.stored()["context"][0][key].clone()
    }

    /// As if the access token's time were over.
    pub fn let_token_end(&self) {
        let mut stored = self.stored();
        let contexts = stored["context"].as_array_mut().unwrap();
        for context in contexts {
            context["access-token-ends"] = toml::Value::Integer(0);
        }
        fs::write(self.credentials(), stored.to_string()).unwrap();
    }
}

/// The code of an invitation by the operator.
pub fn invitation(site: &Site, email: &str, role: &str, project: &str) -> String {
    let words = [
        "user",
        "invite",
        email,
        "--role",
        role,
        "--project",
        project,
        "-o",
        "json",
    ];
    code_of(&site.done(&words))
}

pub fn code_of(invited: &str) -> String {
    let invited: serde_json::Value = serde_json::from_str(invited).unwrap();
    invited["code"].as_str().unwrap().to_owned()
}
