//! Processes of the host, told apart by number and start time: numbers come back.

use std::{collections::BTreeSet, fs, path::Path};

use rustix::process::{Pid, Signal};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    pub pid: i32,
    start_time: u64,
}

impl Process {
    /// The process of that number, if there is one that lives.
    pub fn find(pid: i32) -> Option<Self> {
        let (state, start_time) = stat(pid)?;
        (!matches!(state, 'Z' | 'X')).then_some(Self { pid, start_time })
    }

    pub fn is_alive(&self) -> bool {
        Self::find(self.pid) == Some(*self)
    }

    /// To this process and no other that got its number.
    pub fn signal(&self, signal: Signal) {
        if self.is_alive() {
            let _ = rustix::process::kill_process(Pid::from_raw(self.pid).expect("not 0"), signal);
        }
    }

    pub fn all() -> Vec<Self> {
        let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter_map(Self::find).collect()
    }

    pub fn words(&self) -> Vec<String> {
        let line = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        line.split(|byte| *byte == 0)
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect()
    }

    pub fn parent(&self) -> Option<i32> {
        fields(self.pid)?.get(1)?.parse().ok()
    }

    /// Its numbers, from the host's namespace inwards.
    pub fn numbers(&self) -> Vec<i32> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("NSpid:"))
            .unwrap_or_default();
        line.split_whitespace()
            .filter_map(|number| number.parse().ok())
            .collect()
    }

    /// Whether a component of one of its cgroups is called so.
    pub fn in_cgroup(&self, name: &str) -> bool {
        let text = fs::read_to_string(format!("/proc/{}/cgroup", self.pid)).unwrap_or_default();
        text.lines().any(|line| {
            line.split(['/', ':'])
                .any(|part| part == name || part.starts_with(&format!("{name}.")))
        })
    }

    /// Whether it works below this directory or was called with it.
    pub fn speaks_of(&self, dir: &Path) -> bool {
        let dir = dir.to_string_lossy();
        self.words().iter().any(|word| word.contains(&*dir))
    }

    /// It and all below it.
    pub fn tree(&self) -> Vec<Self> {
        let all = Self::all();
        let mut pids = BTreeSet::from([self.pid]);
        loop {
            let before = pids.len();
            pids.extend(
                all.iter()
                    .filter(|p| p.parent().is_some_and(|pid| pids.contains(&pid)))
                    .map(|p| p.pid)
                    .collect::<Vec<_>>(),
            );
            if pids.len() == before {
                return all.into_iter().filter(|p| pids.contains(&p.pid)).collect();
            }
        }
    }
}

/// What follows the name, which may hold anything.
fn fields(pid: i32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(
        text.rsplit_once(')')?
            .1
            .split_whitespace()
            .map(str::to_owned)
            .collect(),
    )
}

fn stat(pid: i32) -> Option<(char, u64)> {
    let fields = fields(pid)?;
    Some((fields.first()?.chars().next()?, fields.get(19)?.parse().ok()?))
}
