//! A supervisor with its files in a directory of its own, ended whatever the test does.

use std::{
    fmt::Write,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use types::keeper::{KeeperStatus, ProcessStatus};

pub struct Keeper {
    pub dir: tempfile::TempDir,
    pub child: Child,
}

impl Keeper {
    pub fn start(processes: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        write_config(&dir, processes);
        let child = Command::new(env!("CARGO_BIN_EXE_cloud-keeper"))
            .arg("run")
            .arg("--config")
            .arg(dir.path().join("config.json"))
            .arg("--pidfile")
            .arg(dir.path().join("pid"))
            .arg("--status")
            .arg(dir.path().join("status.json"))
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Self { dir, child }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub fn status(&self) -> Option<KeeperStatus> {
        serde_json::from_str(&self.read("status.json")).ok()
    }

    pub fn process(&self, name: &str) -> Option<ProcessStatus> {
        self.status()?.processes.into_iter().find(|p| p.name == name)
    }

    pub fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &pid])
                .status()
                .unwrap()
                .success()
        );
    }

    pub fn stop(mut self) -> tempfile::TempDir {
        self.signal("-TERM");
        assert!(self.child.wait().unwrap().success());
        std::mem::replace(&mut self.dir, tempfile::tempdir().unwrap())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn write_config(dir: &tempfile::TempDir, processes: &str) {
    let root = dir.path().display();
    let processes = processes.replace("DIR", &root.to_string());
    let config = format!(r#"{{"logDir":"{root}/log","processes":[{processes}]}}"#);
    std::fs::write(dir.path().join("config.json"), config).unwrap();
}

pub fn shell(name: &str, script: &str, rest: &str) -> String {
    let mut text = String::new();
    let script = serde_json::to_string(script).unwrap();
    write!(text, r#"{{"name":"{name}","argv":["sh","-c",{script}]{rest}}}"#).unwrap();
    text
}

#[expect(clippy::disallowed_methods, reason = "polls another process, with a deadline")]
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ")
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}
