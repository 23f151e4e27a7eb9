//! The real binary against the real routes over a platform in memory, on a free port of the loopback interface.

use std::{
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::Arc,
};

use server::{
    fake::{Fake, FakePki, TOKEN},
    tls::{Bounds, Tls},
};
use tempfile::TempDir;
use tokio::{runtime::Runtime, sync::watch};

pub struct Site {
    pub endpoint: String,
    /// The same over TLS.
    pub tls: Arc<Tls>,
    pub pki: Arc<FakePki>,
    pub home: TempDir,
    pub stop: watch::Sender<bool>,
    _runtime: Runtime,
}

impl Site {
    pub fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let home = TempDir::new().unwrap();
        let fake = Fake::default();
        let pki = fake.pki.clone();
        let served = fake.serve_tls(home.path().to_owned(), Bounds::default());
        let (endpoint, tls, stop) = runtime.block_on(served);
        let site = Self {
            endpoint,
            tls,
            pki,
            home,
            stop,
            _runtime: runtime,
        };
        let client_file = format!("endpoint = \"{}\"\ntoken = \"{TOKEN}\"\n", site.endpoint);
        site.write("client.toml", &client_file);
        site
    }

    /// With a VPC `lab`.
    pub fn with_vpc() -> Self {
        let site = Self::start();
        site.done(&["vpc", "create", "--name", "lab", "--cidr", "10.20.0.0/16"]);
        site
    }

    pub fn path(&self, name: &str) -> String {
        self.home.path().join(name).to_str().unwrap().to_owned()
    }

    pub fn write(&self, name: &str, content: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = bare(self.home.path(), arguments);
        command.env("PLASMACLOUD_CLIENT_FILE", self.path("client.toml"));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(arguments).output().unwrap())
    }

    /// Standard output of a command that must succeed.
    pub fn done(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.err);
        ran.out
    }

    pub fn spawn(&self, arguments: &[&str]) -> Child {
        self.command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

/// The program with nothing of the tester's own settings.
pub fn bare(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloud"));
    command
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::null());
    command
}

#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// It failed so, in the form every failure has.
    pub fn failed(&self, exit: i32, code: &str) -> &Self {
        assert_eq!(self.code, exit, "{self:?}");
        let form = format!("error[{code}]: ");
        assert!(
            self.err.contains(&form) && self.err.contains("\n  help: "),
            "{}",
            self.err
        );
        self
    }
}
