//! One process and where it is in its life.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitStatus};
use types::keeper::{Process, ProcessStatus};

use crate::restart::Backoff;

/// How long a process may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(10);

pub struct Child {
    pub spec: Process,
    pub state: State,
    pub backoff: Backoff,
    pub restarts: u32,
    pub last_exit: Option<String>,
    pub limit_problem: Option<String>,
}

pub enum State {
    /// To be started as soon as its gates are open.
    Gated,
    Running {
        pid: Pid,
        since: Instant,
    },
    Resting {
        until: Instant,
    },
    Ending {
        pid: Pid,
        kill_at: Instant,
        then: Then,
    },
    Ended,
}

#[derive(Clone)]
pub enum Then {
    Forget,
    StartAs(Box<Process>),
}

impl Child {
    pub fn new(spec: Process) -> Self {
        Self {
            spec,
            state: State::Gated,
            backoff: Backoff::default(),
            restarts: 0,
            last_exit: None,
            limit_problem: None,
        }
    }

    pub fn pid(&self) -> Option<Pid> {
        match self.state {
            State::Running { pid, .. } | State::Ending { pid, .. } => Some(pid),
            State::Gated | State::Resting { .. } | State::Ended => None,
        }
    }

    /// Asks a running process to end; one that does not run has ended already.
    pub fn end(&mut self, then: Then) {
        match self.state {
            State::Running { pid, .. } => {
                let _ = rustix::process::kill_process(pid, Signal::TERM);
                self.state = State::Ending {
                    pid,
                    kill_at: Instant::now() + GRACE,
                    then,
                };
            }
            State::Ending { pid, kill_at, .. } => self.state = State::Ending { pid, kill_at, then },
            State::Gated | State::Resting { .. } | State::Ended => self.become_ended(then),
        }
    }

    fn become_ended(&mut self, then: Then) {
        match then {
            Then::Forget => self.state = State::Ended,
            Then::StartAs(spec) => {
                self.spec = *spec;
                self.state = State::Gated;
                self.backoff = Backoff::default();
            }
        }
    }

    pub fn ended(&mut self, pid: Pid, status: WaitStatus) {
        // What it left behind in its session would hold its ports and files.
        let _ = rustix::process::kill_process_group(pid, Signal::KILL);
        self.last_exit = Some(in_words(status));
        match &self.state {
            State::Running { since, .. } => {
                self.restarts += 1;
                let rest = self.backoff.after(since.elapsed());
                self.state = State::Resting {
                    until: Instant::now() + rest,
                };
            }
            State::Ending { then, .. } => {
                let then = then.clone();
                self.become_ended(then);
            }
            State::Gated | State::Resting { .. } | State::Ended => {}
        }
    }

    pub fn describe(&self) -> ProcessStatus {
        ProcessStatus {
            name: self.spec.name.clone(),
            pid: self.pid().map(|pid| pid.as_raw_nonzero().get().unsigned_abs()),
            restarts: self.restarts,
            last_exit: self.last_exit.clone(),
        }
    }
}

fn in_words(status: WaitStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("exited with status {code}"),
        (_, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}
