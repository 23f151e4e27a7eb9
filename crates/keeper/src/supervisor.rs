//! Keeping processes running.
//!
//! Guarantees: a process that ended is started again after a rest that grows; a reload touches only what changed; a
//! stop ends processes one after the other, the last started first. Assumes it is the reaper of everything below it.
//! Between events it sleeps; only a closed gate makes it look every few milliseconds.

use std::{
    io,
    path::PathBuf,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, WaitOptions};
use types::keeper::{KeeperConfig, KeeperStatus};

use crate::{
    cgroup::{Doors, Tree},
    child::{Child, State, Then},
    config, gate,
    launch::{Tie, launch},
    links, log,
    signals::{Event, Signals},
    status::StatusFile,
};

pub struct Supervisor {
    pub config_path: PathBuf,
    pub status: StatusFile,
    pub problems: Vec<String>,
    tie: Tie,
    log_dir: PathBuf,
    children: Vec<Child>,
    tree: Option<Tree>,
    rotation: log::Rotation,
    stopping: bool,
}

impl Supervisor {
    pub fn new(config_path: PathBuf, config: KeeperConfig, status: StatusFile, tie: Tie) -> Self {
        Self {
            problems: links::make(&config.links),
            config_path,
            status,
            tie,
            log_dir: PathBuf::from(config.log_dir),
            children: config.processes.into_iter().map(Child::new).collect(),
            tree: None,
            rotation: log::Rotation::default(),
            stopping: false,
        }
    }

    /// Runs until told to stop and everything has ended.
    pub fn supervise(mut self, signals: &Signals) -> io::Result<()> {
        if let Tie::Confined = self.tie {
            self.step_aside();
        }
        let mut look_at_logs = Instant::now();
        loop {
            self.advance();
            self.status.update(self.describe());
            if self.stopping && self.children.is_empty() {
                return Ok(());
            }
            if look_at_logs <= Instant::now() {
                let names = self.children.iter().map(|c| c.spec.name.as_str());
                look_at_logs = Instant::now() + self.rotation.check(&self.log_dir, names);
            }
            let wake = self.next_wake().map_or(look_at_logs, |at| at.min(look_at_logs));
            let timeout = wake.saturating_duration_since(Instant::now());
            for event in signals.wait(Some(timeout))? {
                match event {
                    Event::ChildEnded => self.reap(),
                    Event::Stop => self.stopping = true,
                    Event::Reload => self.reload(),
                }
            }
        }
    }

    fn advance(&mut self) {
        let now = Instant::now();
        if self.stopping {
            self.end_the_last();
        }
        for index in 0..self.children.len() {
            match &self.children[index].state {
                State::Resting { until } if *until <= now => self.start_if_open(index),
                State::Gated => self.start_if_open(index),
                State::Ending { pid, kill_at, .. } if *kill_at <= now => {
                    let _ = rustix::process::kill_process_group(*pid, Signal::KILL);
                    let _ = rustix::process::kill_process(*pid, Signal::KILL);
                }
                State::Resting { .. } | State::Running { .. } | State::Ending { .. } | State::Ended => {}
            }
        }
        self.children.retain(|child| !matches!(child.state, State::Ended));
    }

    /// In a stop, one process at a time: what was started last depends on what was started first.
    fn end_the_last(&mut self) {
        while let Some(child) = self.children.last_mut() {
            match child.state {
                State::Ending { .. } => return,
                State::Ended => {
                    self.children.pop();
                }
                State::Gated | State::Running { .. } | State::Resting { .. } => child.end(Then::Forget),
            }
        }
    }

    fn start_if_open(&mut self, index: usize) {
        let child = &mut self.children[index];
        child.state = State::Gated;
        if self.stopping || !gate::all_open(&child.spec.after) {
            return;
        }
        let doors = self.doors(index);
        let child = &mut self.children[index];
        let now = Instant::now();
        match launch(&child.spec, &self.log_dir, doors, self.tie) {
            Ok(pid) => match i32::try_from(pid).ok().and_then(Pid::from_raw) {
                Some(pid) => child.state = State::Running { pid, since: now },
                None => child.state = State::Ended,
            },
            Err(error) => {
                child.last_exit = Some(format!("could not be started: {error}"));
                child.restarts += 1;
                child.state = State::Resting {
                    until: now + child.backoff.after(Duration::ZERO),
                };
            }
        }
    }

    fn doors(&mut self, index: usize) -> Doors {
        let limits = self.children[index].spec.limits;
        if limits.cpu.is_none() && limits.memory.is_none() {
            return Doors::new();
        }
        let name = self.children[index].spec.name.clone();
        let placed = self.tree().and_then(|tree| tree.place(&name, limits));
        let (doors, problem) = match placed {
            Ok(doors) => (doors, None),
            Err(error) => (Doors::new(), Some(format!("limits are not enforced: {error}"))),
        };
        self.children[index].limit_problem = problem;
        doors
    }

    /// Before the first process is started: one that has no limits of its own would otherwise stay in the cgroup that
    /// is shared out, and none of the others could be limited.
    fn step_aside(&mut self) {
        if let Err(error) = self.tree() {
            self.problems.push(format!("limits cannot be enforced: {error}"));
        }
    }

    /// Found once: where we are is no longer where we were when it has been opened.
    fn tree(&mut self) -> io::Result<&Tree> {
        let tree = match self.tree.take() {
            Some(tree) => tree,
            None => Tree::of_self()?,
        };
        let tree = self.tree.insert(tree);
        tree.open_for_children()?;
        Ok(tree)
    }

    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if let Some(child) = self.children.iter_mut().find(|child| child.pid() == Some(pid)) {
                child.ended(pid, status);
            }
        }
    }

    fn reload(&mut self) {
        self.problems.retain(|p| !p.starts_with("reload: "));
        let config = match config::load(&self.config_path) {
            Ok(config) => config,
            Err(error) => {
                return self
                    .problems
                    .push(format!("reload: {error}; the one before stays in force"));
            }
        };
        self.problems.extend(
            links::make(&config.links)
                .into_iter()
                .map(|p| format!("reload: {p}")),
        );
        self.log_dir = PathBuf::from(config.log_dir);
        let mut before = std::mem::take(&mut self.children);
        for spec in config.processes {
            let known = before.iter().position(|child| child.spec.name == spec.name);
            let mut child = known.map_or_else(|| Child::new(spec.clone()), |at| before.remove(at));
            let leaving = matches!(child.state, State::Ending { .. });
            if child.spec != spec || leaving {
                child.end(Then::StartAs(Box::new(spec)));
            }
            self.children.push(child);
        }
        for mut gone in before {
            gone.end(Then::Forget);
            self.children.push(gone);
        }
    }

    fn next_wake(&self) -> Option<Instant> {
        let now = Instant::now();
        let wake = |child: &Child| match child.state {
            State::Gated => Some(now + gate::INTERVAL),
            State::Resting { until } => Some(until),
            // Killed and not yet reaped: come back soon, not at once.
            State::Ending { kill_at, .. } => Some(kill_at.max(now + Duration::from_millis(200))),
            State::Running { .. } | State::Ended => None,
        };
        self.children.iter().filter_map(wake).min()
    }

    fn describe(&self) -> KeeperStatus {
        let limits = self.children.iter().filter_map(|child| {
            child
                .limit_problem
                .as_ref()
                .map(|problem| format!("{}: {problem}", child.spec.name))
        });
        KeeperStatus {
            processes: self.children.iter().map(Child::describe).collect(),
            problems: self.problems.iter().cloned().chain(limits).collect(),
        }
    }
}
