//! Processes, told apart by number and start time: numbers come back, and a dead process may stay listed for seconds.

use std::{
    io,
    path::PathBuf,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec},
    io::Errno,
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};

use crate::error::{MachineError, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    pub state: char,
    pub start_time: u64,
}

impl Stat {
    pub fn is_alive(self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x')
    }
}

pub fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name is in parentheses and may hold anything, so fields are counted from its end.
fn parse_stat(line: &str) -> Option<Stat> {
    let mut fields = line.get(line.rfind(')')? + 2..)?.split(' ');
    let state = fields.next()?.chars().next()?;
    let start_time = fields.nth(18)?.parse().ok()?;
    Some(Stat { state, start_time })
}

/// Its number in each pid namespace from ours inward.
pub fn inner_pids(pid: u32) -> Vec<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    line.map(|l| l.split_whitespace().filter_map(|n| n.parse().ok()).collect())
        .unwrap_or_default()
}

pub fn command_line(pid: u32) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let args = bytes.split(|b| *b == 0).filter(|a| !a.is_empty());
    args.map(|a| String::from_utf8_lossy(a).into_owned()).collect()
}

pub fn all() -> io::Result<Vec<u32>> {
    let mut pids = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        if let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) {
            pids.push(pid);
        }
    }
    Ok(pids)
}

/// Sends a signal to that very process and waits until it is gone; true if it is.
pub fn signal_and_wait(pid: u32, start_time: u64, signal: Signal, wait: Duration) -> Result<bool> {
    let same = || stat(pid).is_some_and(|s| s.start_time == start_time && s.is_alive());
    let Some(raw) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return Ok(true);
    };
    let failed = |source| MachineError::Kernel {
        feature: "signals through pidfd",
        source,
    };
    let handle = match pidfd_open(raw, PidfdFlags::empty()) {
        Ok(handle) => handle,
        Err(Errno::SRCH) => return Ok(true),
        Err(error) => return Err(failed(error)),
    };
    // Checked after the handle was opened: from here on the number cannot come to mean another process.
    if !same() {
        return Ok(true);
    }
    match pidfd_send_signal(&handle, signal) {
        Ok(()) => {}
        Err(Errno::SRCH) => return Ok(true),
        Err(error) => return Err(failed(error)),
    }
    let deadline = Instant::now() + wait;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        let mut fds = [PollFd::new(&handle, PollFlags::IN)];
        match rustix::event::poll(&mut fds, Some(&timeout)) {
            Ok(0) => return Ok(!same()),
            Ok(_) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

/// A program of the host, where a service's short PATH would not find it.
pub fn tool(name: &'static str, package: &'static str) -> Result<PathBuf> {
    [
        "/usr/bin",
        "/usr/sbin",
        "/bin",
        "/sbin",
        "/usr/local/bin",
        "/usr/local/sbin",
        "/run/current-system/sw/bin",
    ]
    .iter()
    .map(|dir| PathBuf::from(dir).join(name))
    .find(|path| path.exists())
    .ok_or(MachineError::Tool { tool: name, package })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_confuses_nobody() {
        let tail = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20 21";
        let stat = parse_stat(&format!("12 (a) (b c) {tail}")).unwrap();
        assert_eq!(
            stat,
            Stat {
                state: 'S',
                start_time: 4242
            }
        );
    }

    #[test]
    fn another_process_under_the_same_number_is_left_alone() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        let start = stat(child.id()).unwrap().start_time;
        assert!(signal_and_wait(child.id(), start + 1, Signal::KILL, Duration::ZERO).unwrap());
        assert!(stat(child.id()).unwrap().is_alive());
        assert!(signal_and_wait(child.id(), start, Signal::KILL, Duration::from_secs(5)).unwrap());
        child.wait().unwrap();
    }
}
