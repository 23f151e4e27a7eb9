//! Starting nspawn so that it belongs to nobody: a session of its own, adopted by the host's first process, in the
//! machine's cgroups before its first instruction. It outlives us, however we end.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    os::{
        fd::AsRawFd,
        linux::net::SocketAddrExt,
        unix::{
            net::{SocketAddr, UnixDatagram},
            process::CommandExt,
        },
    },
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use ports::compute::{Leader, MachineDesired};

use super::{arguments, console, layout::MachineDir};
use crate::{
    cgroup::{Cgroups, Entrance},
    error::{Context, MachineError, Result},
    host::{
        identity::{UidRange, as_root_of},
        process,
    },
};

const WAIT: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

pub fn start(
    place: &MachineDir,
    desired: &MachineDesired,
    range: UidRange,
    cgroups: &Cgroups,
) -> Result<Leader> {
    let nspawn = process::tool("systemd-nspawn", "systemd-container")?;
    let entrance = cgroups.create(&desired.id, &desired.size, range)?;
    let (socket, address) = notify_socket(place)?;
    let words = arguments::arguments(&nspawn, place, desired, range);
    let (doors, words) = match entrance {
        Entrance::Doors(doors) => (doors, words),
        Entrance::Wrapper(wrapper) => (Vec::new(), [wrapper, words].concat()),
    };
    let console = as_root_of(range, || {
        let path = place.live_console();
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .doing("open", &path)
    })?;
    let supervisor = spawn(
        &words,
        doors,
        console,
        &arguments::environment(&address, desired.init),
    )
    .doing("start", &nspawn)?;
    wait_for_leader(&socket, place, supervisor)
}

/// nspawn tells the number of the machine's first process here. The name is abstract: no file to leave behind.
fn notify_socket(place: &MachineDir) -> Result<(UnixDatagram, String)> {
    let name = format!("plasmacloud/{}/{}", place.nspawn_name, std::process::id());
    let socket = SocketAddr::from_abstract_name(&name)
        .and_then(|address| UnixDatagram::bind_addr(&address))
        .and_then(|socket| socket.set_read_timeout(Some(LOOK_AGAIN)).map(|()| socket))
        .doing("listen for", Path::new(&name))?;
    Ok((socket, format!("@{name}")))
}

fn spawn(
    words: &[String],
    doors: Vec<File>,
    console: File,
    environment: &[(&str, String)],
) -> io::Result<u32> {
    let (program, args) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .envs(environment.iter().map(|(key, value)| (key, value)))
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(console.try_clone()?)
        .stderr(console);
    let (mut told, tell) = io::pipe()?;
    // SAFETY: between fork and exec only system calls on descriptors opened before are made.
    unsafe { command.pre_exec(move || detach(&doors, &tell)) };
    // Only the middle process of the two forks is ours to wait for.
    command.spawn()?.wait()?;
    let mut pid = [0u8; size_of::<u32>()];
    told.read_exact(&mut pid)?;
    Ok(u32::from_ne_bytes(pid))
}

/// Tells the number of the process that goes on: it stays the same whatever is executed in turn.
fn detach(doors: &[File], tell: &io::PipeWriter) -> io::Result<()> {
    // SAFETY: plain system calls; the parent leaves at once, the child goes on to exec.
    unsafe {
        match libc::fork() {
            -1 => return Err(io::Error::last_os_error()),
            0 => {}
            _ => libc::_exit(0),
        }
        libc::setsid();
        for door in doors {
            if libc::write(door.as_raw_fd(), c"0".as_ptr().cast(), 1) < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        let pid = libc::getpid().to_ne_bytes();
        if libc::write(tell.as_raw_fd(), pid.as_ptr().cast(), pid.len()) < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

fn wait_for_leader(socket: &UnixDatagram, place: &MachineDir, supervisor: u32) -> Result<Leader> {
    let deadline = Instant::now() + WAIT;
    let failed = || MachineError::Boot {
        console: console::tail(place, 5),
    };
    let mut buffer = [0u8; 4096];
    loop {
        let message = match socket.recv(&mut buffer) {
            Ok(length) => String::from_utf8_lossy(&buffer[..length]).into_owned(),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                if Instant::now() >= deadline || !is_alive(supervisor) {
                    return Err(failed());
                }
                continue;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error).doing("wait for", &place.dir),
        };
        let told = message
            .lines()
            .find_map(|line| line.strip_prefix("X_NSPAWN_LEADER_PID="));
        if let Some(pid) = told.and_then(|pid| pid.parse().ok()) {
            let stat = process::stat(pid)
                .filter(|stat| stat.is_alive())
                .ok_or_else(failed)?;
            return Ok(Leader {
                pid,
                start_time: stat.start_time,
            });
        }
    }
}

fn is_alive(pid: u32) -> bool {
    process::stat(pid).is_some_and(process::Stat::is_alive)
}
