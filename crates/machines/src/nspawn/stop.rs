//! Ending a machine and taking away what it had at run time. Every wait is bounded, and everything may be missing.

use std::time::{Duration, Instant};

use ports::compute::{Init, Leader};
use rustix::process::Signal;

use super::{
    console,
    layout::{MachineDir, nspawn_leftovers},
    leader,
    members::members,
    ranges::Ranges,
};
use crate::{
    cgroup::Cgroups,
    error::{MachineError, Result},
    host::{mount, process},
};

/// For a machine that is asked; pods get their own time in it.
const GRACE: Duration = Duration::from_secs(20);
/// For what was killed: the kernel has to end every process of a node.
const DEATH: Duration = Duration::from_secs(20);

/// Asks the machine to halt and gives it time; what is left is killed by `clear`.
pub fn halt(leader: Leader, init: Init) -> Result<()> {
    let signal = match init {
        Init::Systemd => power_off_signal(),
        Init::Keeper => Signal::TERM,
    };
    process::signal_and_wait(leader.pid, leader.start_time, signal, GRACE).map(|_| ())
}

/// What systemd, as a first process, takes as a request to power off.
fn power_off_signal() -> Signal {
    // SAFETY: one of the signals left to applications; nothing in this process handles or blocks it.
    unsafe { Signal::from_raw_unchecked(libc::SIGRTMIN() + 4) }
}

/// Kills what is left of the machine and takes away its mounts, cgroups and ids. Its files stay.
pub fn clear(place: &MachineDir, cgroups: &Cgroups, ranges: &Ranges) -> Result<()> {
    kill(place, cgroups)?;
    console::keep(place);
    mount::unmount_below(&place.dir)?;
    cgroups.remove(&place.id)?;
    for dir in nspawn_leftovers() {
        let own = dir.join(&place.nspawn_name);
        // Newer versions have a file system there.
        mount::unmount_below(&own)?;
        let _ = std::fs::remove_dir(own);
    }
    let _ = std::fs::remove_file(place.record());
    ranges.release(&place.id)
}

/// The first process takes all others in its namespace with it; nspawn, outside, follows.
fn kill(place: &MachineDir, cgroups: &Cgroups) -> Result<()> {
    if let Some(leader) = leader::find(place, cgroups)? {
        process::signal_and_wait(leader.pid, leader.start_time, Signal::KILL, DEATH)?;
    }
    let deadline = Instant::now() + DEATH;
    loop {
        let alive = members(place, cgroups)?;
        let Some((first, _)) = alive.first() else {
            return Ok(());
        };
        if Instant::now() >= deadline {
            return Err(MachineError::WontDie(format!(
                "{} processes, one is {first}",
                alive.len()
            )));
        }
        for (pid, start_time) in &alive {
            process::signal_and_wait(*pid, *start_time, Signal::KILL, Duration::ZERO)?;
        }
        crate::host::pause::pause(Duration::from_millis(5));
    }
}
