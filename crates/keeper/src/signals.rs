//! Signals as something to wait for. They are blocked and read from a descriptor, so the supervisor sleeps in one
//! `poll` and nothing happens between two of its lines.

use std::{
    io,
    os::fd::{AsFd, FromRawFd, OwnedFd},
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, Timespec};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    ChildEnded,
    Stop,
    Reload,
}

pub struct Signals {
    fd: OwnedFd,
}

/// What ends a machine: `halt` as nspawn asks for it, a power failure, and the usual two.
fn stopping() -> [i32; 4] {
    [libc::SIGTERM, libc::SIGINT, libc::SIGPWR, libc::SIGRTMIN() + 3]
}

impl Signals {
    pub fn block() -> io::Result<Self> {
        // SAFETY: the set is initialised by sigemptyset before use; all pointers are to locals.
        let fd = unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            for signal in stopping().into_iter().chain([libc::SIGCHLD, libc::SIGHUP]) {
                libc::sigaddset(&raw mut set, signal);
            }
            if libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
            libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is fresh and ours.
        Ok(Self {
            fd: unsafe { OwnedFd::from_raw_fd(fd) },
        })
    }

    /// Sleeps until a signal or until `timeout` has passed.
    pub fn wait(&self, timeout: Option<Duration>) -> io::Result<Vec<Event>> {
        let timeout = timeout.map(|t| Timespec {
            tv_sec: i64::try_from(t.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: t.subsec_nanos().into(),
        });
        let mut fds = [PollFd::new(&self.fd, PollFlags::IN)];
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => self.drain(),
            Err(error) => Err(error.into()),
        }
    }

    fn drain(&self) -> io::Result<Vec<Event>> {
        const SIZE: usize = size_of::<libc::signalfd_siginfo>();
        let mut events = Vec::new();
        let mut buffer = [0u8; SIZE];
        loop {
            match rustix::io::read(self.fd.as_fd(), &mut buffer) {
                Ok(SIZE) => {
                    let number = u32::from_ne_bytes([buffer[0], buffer[1], buffer[2], buffer[3]]);
                    events.push(match i32::try_from(number).unwrap_or(0) {
                        libc::SIGCHLD => Event::ChildEnded,
                        libc::SIGHUP => Event::Reload,
                        _ => Event::Stop,
                    });
                }
                Ok(_) | Err(rustix::io::Errno::AGAIN) => return Ok(events),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
