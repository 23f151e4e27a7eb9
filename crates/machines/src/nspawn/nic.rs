//! The machine's interface: moved in as `eth0` when the machine starts, and again if it was lost while it runs.

use std::{
    fs::File,
    os::{fd::AsRawFd, unix::process::CommandExt},
    path::Path,
    process::{Command, Stdio},
};

use ports::compute::{Leader, Nic};
use types::keeper::MACHINE_PATH;

use super::layout::MachineDir;
use crate::{
    error::{Context, MachineError, Result},
    host::{link, process},
};

const INSIDE: &str = "eth0";
/// A machine this young may still be setting it up.
const SETTLING: u64 = 30;

pub fn require(nic: &Nic) -> Result<u32> {
    link::index(&nic.interface).ok_or_else(|| MachineError::InterfaceMissing(nic.interface.clone()))
}

pub fn attach(nic: &Nic, leader: Leader) -> Result<()> {
    link::move_into(require(nic)?, leader.pid, INSIDE).map_err(|source| MachineError::Attach {
        name: nic.interface.clone(),
        source,
    })
}

pub fn is_inside(leader: Leader) -> bool {
    mentions(leader, "dev", |line| line.trim_start().starts_with("eth0:"))
}

/// Inside and up: an interface that is down has no routes.
pub fn is_attached(leader: Leader) -> bool {
    let routed = || mentions(leader, "route", |line| line.starts_with("eth0\t"));
    is_inside(leader) && (routed() || is_young(leader))
}

fn mentions(leader: Leader, table: &str, test: impl Fn(&str) -> bool) -> bool {
    let text = std::fs::read_to_string(format!("/proc/{}/net/{table}", leader.pid)).unwrap_or_default();
    text.lines().any(test)
}

fn is_young(leader: Leader) -> bool {
    let uptime = std::fs::read_to_string("/proc/uptime").unwrap_or_default();
    let now = uptime
        .split('.')
        .next()
        .and_then(|s| s.parse::<u64>().ok())
        .unwrap_or(u64::MAX);
    // SAFETY: asks for a constant.
    let ticks = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) })
        .unwrap_or(100)
        .max(1);
    now.saturating_sub(leader.start_time / ticks) < SETTLING
}

/// Puts it in and sets it up from outside: the machine prepared itself long ago and does not look again.
pub fn attach_live(nic: &Nic, leader: Leader, place: &MachineDir, keeper: &Path) -> Result<()> {
    attach(nic, leader)?;
    let namespace = format!("/proc/{}/ns/net", leader.pid);
    let namespace = File::open(&namespace).doing("open", Path::new(&namespace))?;
    let same = process::stat(leader.pid).is_some_and(|s| s.start_time == leader.start_time);
    if !same {
        return Err(MachineError::Setup("the machine ended meanwhile".to_owned()));
    }
    let machine = place.root().join(MACHINE_PATH.trim_start_matches('/'));
    let mut command = Command::new(keeper);
    command
        .args(["network", "--machine"])
        .arg(machine)
        .env_clear()
        .stdin(Stdio::null());
    let enter = move || {
        // SAFETY: a system call on a descriptor opened before the fork.
        match unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    // SAFETY: the closure makes one system call, between fork and exec.
    unsafe { command.pre_exec(enter) };
    let output = command.output().doing("run", keeper)?;
    if output.status.success() {
        return Ok(());
    }
    Err(MachineError::Setup(
        String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    ))
}
