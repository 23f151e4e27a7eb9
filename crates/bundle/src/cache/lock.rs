//! The lock that keeps two builders from doing the same work twice or sweeping each other's unfinished files.
//! It is an advisory lock on an open file: the kernel drops it when its holder dies, however it dies.

use std::fs::{File, OpenOptions};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::{CacheError, io_error};

/// Held as long as this value lives.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl Lock {
    pub(crate) fn take(path: &Path, on_wait: impl FnOnce()) -> Result<Self, CacheError> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(io_error("open", path))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Self(file)),
            Err(Errno::WOULDBLOCK) => on_wait(),
            Err(error) => return Err(io_error("lock", path)(error.into())),
        }
        loop {
            match flock(&file, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(Self(file)),
                Err(Errno::INTR) => {}
                Err(error) => return Err(io_error("lock", path)(error.into())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn the_second_waits_and_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let first = Lock::take(&path, || panic!("nobody holds it")).unwrap();
        let (said, hears) = mpsc::channel();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| Lock::take(&path, move || said.send(()).unwrap()).map(drop));
            hears.recv().unwrap();
            assert!(!second.is_finished());
            drop(first);
            second.join().unwrap().unwrap();
        });
    }
}
