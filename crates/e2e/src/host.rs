//! What a test does behind the platform's back: finding and killing machines, pulling the plug.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use rustix::process::Signal;

use crate::{command::run, process::Process, wait::eventually};

const QUICK: Duration = Duration::from_secs(30);

/// A machine of an instance, found on the host by its processes.
#[derive(Debug, Clone)]
pub struct Machine {
    pub id: String,
    pub hostname: String,
    /// Number 1 inside.
    pub leader: Process,
}

impl Machine {
    pub fn all(mark: &str) -> Vec<Self> {
        let processes = Process::all();
        let name = format!("--machine=pc-{mark}-");
        let found = processes.iter().filter_map(|process| {
            let words = process.words();
            let id = words.iter().find_map(|word| word.strip_prefix(&name))?.to_owned();
            let hostname = words
                .iter()
                .find_map(|word| word.strip_prefix("--hostname="))?
                .to_owned();
            let first = |p: &&Process| p.in_cgroup(&id) && matches!(p.numbers()[..], [_, 1]);
            let leader = *processes.iter().find(first)?;
            Some(Self { id, hostname, leader })
        });
        found.collect()
    }

    /// The machine whose host name is, or begins with, this.
    pub fn named(mark: &str, hostname: &str) -> Self {
        eventually(&format!("a machine {hostname} runs"), QUICK, || {
            let all = Self::all(mark);
            let found = all.iter().find(|machine| machine.hostname.starts_with(hostname));
            found.cloned().ok_or_else(|| format!("{all:?}"))
        })
    }

    /// Its process that was called by this name.
    pub fn process(&self, program: &str) -> Process {
        eventually(&format!("{program} runs in {}", self.hostname), QUICK, || {
            let called = |p: &Process| {
                p.words()
                    .first()
                    .is_some_and(|word| word.rsplit('/').next() == Some(program))
            };
            let found = Process::all()
                .into_iter()
                .find(|p| p.in_cgroup(&self.id) && called(p));
            found.ok_or_else(|| "no such process".to_owned())
        })
    }

    /// At once, all that is in it.
    pub fn kill(&self) {
        self.leader.signal(Signal::KILL);
        eventually(&format!("{} dies", self.hostname), QUICK, || {
            if self.leader.is_alive() {
                Err("its first process lives".to_owned())
            } else {
                Ok(())
            }
        });
    }
}

/// Takes away what a power cut would: all but files.
pub fn plug_pulled(mark: &str, dir: &Path) {
    let ours = |p: &Process| {
        p.in_cgroup(&format!("plasmacloud-{mark}"))
            || p.words().iter().any(|w| w.contains(&format!("pc-{mark}-")))
    };
    eventually("every process of the instance is dead", QUICK, || {
        let left: Vec<Process> = Process::all().into_iter().filter(ours).collect();
        left.iter().for_each(|process| process.signal(Signal::KILL));
        if left.is_empty() {
            Ok(())
        } else {
            Err(format!("{left:?}"))
        }
    });
    for at in mounts_below(dir) {
        run(Command::new("umount").arg("--lazy").arg(at), QUICK);
    }
    for device in loop_devices_of(dir) {
        run(Command::new("losetup").arg("--detach").arg(device), QUICK);
    }
    let namespaces = fs::read_dir("/run/netns").into_iter().flatten().flatten();
    for name in namespaces.map(|entry| entry.file_name().to_string_lossy().into_owned()) {
        if name.starts_with(&format!("pc-{mark}-")) {
            run(Command::new("ip").args(["netns", "delete", &name]), QUICK);
        }
    }
    let links = run(Command::new("ip").args(["-o", "link", "show"]), QUICK).ok();
    for line in links.lines() {
        let name = line
            .split(": ")
            .nth(1)
            .unwrap_or_default()
            .split('@')
            .next()
            .unwrap_or_default();
        if name.starts_with(&format!("{mark}-")) {
            run(Command::new("ip").args(["link", "delete", name]), QUICK);
        }
    }
    run(
        Command::new("nft").args(["delete", "table", "inet", &format!("pc-{mark}")]),
        QUICK,
    );
    for entry in fs::read_dir("/sys/fs/cgroup").into_iter().flatten().flatten() {
        remove_cgroup(&entry.path().join(format!("plasmacloud-{mark}")));
    }
    remove_cgroup(&PathBuf::from(format!("/sys/fs/cgroup/plasmacloud-{mark}")));
    forget_run(mark);
}

/// What is kept below /run does not outlive a boot.
fn forget_run(mark: &str) {
    for entry in fs::read_dir("/run/plasmacloud/ids")
        .into_iter()
        .flatten()
        .flatten()
    {
        if fs::read_to_string(entry.path()).is_ok_and(|owner| owner.starts_with(&format!("{mark}/"))) {
            let _ = fs::remove_file(entry.path());
        }
    }
    for place in ["/run/systemd/nspawn/propagate", "/run/systemd/nspawn/unix-export"] {
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            if entry
                .file_name()
                .to_string_lossy()
                .starts_with(&format!("pc-{mark}-"))
            {
                let _ = fs::remove_dir(entry.path());
            }
        }
    }
}

/// Deepest first.
fn mounts_below(dir: &Path) -> Vec<String> {
    let table = fs::read_to_string("/proc/self/mountinfo").expect("proc is mounted");
    let at = table
        .lines()
        .filter_map(|line| line.split_whitespace().nth(4))
        .map(str::to_owned);
    let mut found: Vec<String> = at.filter(|at| Path::new(at).starts_with(dir)).collect();
    found.reverse();
    found
}

fn loop_devices_of(dir: &Path) -> Vec<PathBuf> {
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let backed = devices.filter(|device| {
        let file = fs::read_to_string(device.path().join("loop/backing_file")).unwrap_or_default();
        Path::new(file.trim()).starts_with(dir)
    });
    backed
        .map(|device| Path::new("/dev").join(device.file_name()))
        .collect()
}

fn remove_cgroup(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_cgroup(&entry.path());
        }
    }
    let _ = fs::remove_dir(dir);
}
