//! A cgroup is a directory that can only be taken away leaf by leaf, and only when the kernel is done with its dead.

use std::{
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

const PATIENCE: Duration = Duration::from_secs(5);
const ASK_AGAIN: Duration = Duration::from_millis(10);

pub fn make(dir: &Path) -> io::Result<()> {
    match std::fs::create_dir(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

pub fn children(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// The processes in it and below it.
pub fn processes(dir: &Path) -> io::Result<Vec<u32>> {
    let mut pids = match std::fs::read_to_string(dir.join("cgroup.procs")) {
        Ok(text) => text.lines().filter_map(|line| line.parse().ok()).collect(),
        // Gone, or being taken away while we look.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENODEV)) => {
            return Ok(Vec::new());
        }
        // A threaded cgroup of version 2 lists its processes at its top only.
        Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => Vec::new(),
        Err(error) => return Err(error),
    };
    for child in children(dir)? {
        pids.extend(processes(&child)?);
    }
    Ok(pids)
}

/// Deep, and patient for a bounded time.
pub fn remove(dir: &Path) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    remove_until(dir, deadline)
}

fn remove_until(dir: &Path, deadline: Instant) -> io::Result<()> {
    loop {
        for child in children(dir)? {
            remove_until(&child, deadline)?;
        }
        match std::fs::remove_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) && Instant::now() < deadline => {
                crate::host::pause::pause(ASK_AGAIN);
            }
            other => return other,
        }
    }
}
