//! Starting one process: its own session and log file, nothing of ours inherited, inside its cgroup before its first
//! instruction.

use std::{
    fs::File,
    io,
    os::{fd::AsRawFd, unix::process::CommandExt},
    path::Path,
    process::{Command, Stdio},
};

use types::keeper::Process;

use crate::{cgroup::Doors, confine::Confinement, log};

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// How a process relates to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tie {
    /// In a machine of our own: it has no privilege, and nothing outlives us anyway.
    Confined,
    /// On a host: it is privileged like us, and ends when we are killed.
    EndsWithUs,
}

pub fn launch(process: &Process, log_dir: &Path, doors: Doors, tie: Tie) -> io::Result<u32> {
    let (program, args) = process.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let output = log::open(log_dir, &process.name)?;
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .env("PATH", PATH)
        .envs(&process.env)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    let confinement = match tie {
        Tie::Confined => Some(Confinement::new()),
        Tie::EndsWithUs => None,
    };
    // SAFETY: between fork and exec only system calls on what was prepared before are made.
    unsafe { command.pre_exec(move || enter(&doors, confinement.as_ref())) };
    Ok(command.spawn()?.id())
}

fn enter(doors: &[File], confinement: Option<&Confinement>) -> io::Result<()> {
    for door in doors {
        // SAFETY: the buffer is one static byte; zero means the writer itself.
        if unsafe { libc::write(door.as_raw_fd(), c"0".as_ptr().cast(), 1) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    // SAFETY: plain system calls; the set is initialised before use.
    unsafe {
        libc::setsid();
        if confinement.is_none() {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
        }
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
    confinement.map_or(Ok(()), Confinement::enter)
}
