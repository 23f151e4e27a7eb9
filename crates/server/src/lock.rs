//! One daemon on one state directory. The kernel drops the lock with the process, so none is left behind by a kill;
//! the number in the file only tells the next one whom it met.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Seek, Write},
    os::unix::fs::OpenOptionsExt,
};

use rustix::fs::{FlockOperation, flock};
use types::Fault;

use crate::state_dir::StateDir;

/// Held as long as this value lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    pub fn take(state: &StateDir) -> Result<Self, Fault> {
        let path = state.lock_file();
        let failed = |error: std::io::Error| {
            Fault::refused(
                "lock-unusable",
                format!("{} cannot be used: {error}", path.display()),
                "make the state directory writable and put it on a local disk",
            )
        };
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(held(state, &mut file)),
            Err(error) => return Err(failed(error.into())),
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
        writeln!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

fn held(state: &StateDir, file: &mut File) -> Fault {
    let mut pid = String::new();
    let read = file.read_to_string(&mut pid).is_ok() && !pid.trim().is_empty();
    let who = if read {
        format!("process {}", pid.trim())
    } else {
        "another process".to_owned()
    };
    Fault::conflict(
        "already-running",
        format!("a cloudd, {who}, already uses {}", state.path().display()),
        "stop that one first, or give this one a state directory of its own with --state-dir",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_of_the_first_and_may_follow_it() {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::prepare(&dir.path().join("state")).unwrap();
        let first = Lock::take(&state).unwrap();
        let fault = Lock::take(&state).unwrap_err();
        assert_eq!(fault.code, "already-running");
        assert!(
            fault.cause.contains(&std::process::id().to_string()),
            "{}",
            fault.cause
        );
        drop(first);
        Lock::take(&state).unwrap();
    }
}
