//! The instance's `cloud-keeper`, which keeps its edge and its `cloudd` running as on a host without systemd.
//!
//! `cloudd` is started through two lines of shell, so that a test can keep it from starting; it takes the order to die
//! at a point of a plan from a file. What else its environment is to hold, a test writes into `environment`.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use rustix::process::Signal;
use types::keeper::{KeeperConfig, KeeperStatus, Limits, Process as Kept};

use crate::{process::Process, programs::Programs, wait::eventually};

const START: &str = r#"while [ -e "$1/hold" ]; do sleep 0.1; done
export PLASMACLOUD_KILL_FILE="$1/kill-at"
if [ -e "$1/environment" ]; then . "$1/environment"; fi
shift; exec "$@""#;

pub struct Supervisor {
    dir: PathBuf,
    child: Child,
    process: Process,
}

impl Supervisor {
    /// `dir` gets its configuration, its logs and its orders.
    pub fn start(dir: &Path, state: &Path, programs: &Programs, cloudd: &[String]) -> Self {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let at = |path: &Path| path.to_string_lossy().into_owned();
        let (edge, socket) = (state.join("edge"), state.join("edge/edge.sock"));
        let edge = words(&[
            &at(&programs.edge),
            "--state",
            &at(&edge),
            "--socket",
            &at(&socket),
        ]);
        let mut daemon = words(&["/bin/sh", "-c", START, "sh", &at(dir), &at(&programs.cloudd)]);
        daemon.extend_from_slice(cloudd);
        let config = KeeperConfig {
            log_dir: at(&dir.join("log")),
            links: Vec::new(),
            processes: vec![kept("edge", edge), kept("cloudd", daemon)],
        };
        fs::create_dir_all(dir.join("log")).expect("the test's directory is writable");
        let file = dir.join("keeper.json");
        fs::write(&file, serde_json::to_vec(&config).expect("plain data")).expect("writable");
        let output = fs::File::create(dir.join("log/keeper.out")).expect("writable");
        let child = Command::new(&programs.keeper)
            .args(["run", "--config"])
            .arg(&file)
            .arg("--pidfile")
            .arg(dir.join("keeper.pid"))
            .arg("--status")
            .arg(dir.join("keeper-status.json"))
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("a descriptor"))
            .stderr(output)
            .process_group(0)
            .spawn()
            .expect("cloud-keeper starts");
        let pid = i32::try_from(child.id()).expect("a process number");
        let process = Process::find(pid).expect("it was just started");
        Self {
            dir: dir.to_owned(),
            child,
            process,
        }
    }

    /// A process it keeps, if it runs now.
    pub fn kept(&self, name: &str) -> Option<Process> {
        let text = fs::read(self.dir.join("keeper-status.json")).ok()?;
        let status: KeeperStatus = serde_json::from_slice(&text).ok()?;
        let pid = status
            .processes
            .into_iter()
            .find(|process| process.name == name)?
            .pid?;
        Process::find(i32::try_from(pid).ok()?)
    }

    /// Asks it to end and waits for it.
    pub fn stop(mut self) {
        self.process.signal(Signal::TERM);
        eventually(
            "the supervisor ends when asked to",
            Duration::from_secs(60),
            || match self.child.try_wait().expect("our own child") {
                Some(_) => Ok(()),
                None => Err(format!("{:?} still runs", self.process)),
            },
        );
    }

    /// As a power cut: it and all it keeps.
    pub fn kill(mut self) {
        for process in self.process.tree() {
            process.signal(Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

fn kept(name: &str, argv: Vec<String>) -> Kept {
    let env = BTreeMap::from([("RUST_LOG".to_owned(), "info".to_owned())]);
    Kept {
        name: name.to_owned(),
        argv,
        env,
        after: Vec::new(),
        limits: Limits::default(),
    }
}
