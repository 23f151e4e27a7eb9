//! Noticing that a file was replaced, without asking again and again: it stands still as long as the file does.

use std::{
    ffi::OsString,
    io,
    mem::MaybeUninit,
    os::{fd::OwnedFd, unix::ffi::OsStringExt},
    path::Path,
};

use rustix::fs::inotify;
use tokio::io::unix::AsyncFd;

pub struct FileChanges {
    events: AsyncFd<OwnedFd>,
    name: OsString,
}

impl FileChanges {
    /// Its directory is watched: files are replaced by renaming, which makes them another file.
    pub fn of(path: &Path) -> io::Result<Self> {
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let events = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC)?;
        let told = inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::CLOSE_WRITE;
        inotify::add_watch(&events, dir, told)?;
        Ok(Self {
            // SAFETY: it owns the descriptor, which stays the same until it is dropped.
            events: unsafe { AsyncFd::register(events) }?,
            name: name.to_owned(),
        })
    }

    /// Returns after the file was replaced or written.
    pub async fn next(&mut self) {
        loop {
            // The kernel's answer can only be an error if the descriptor is none.
            let Ok(mut ready) = self.events.readable().await else {
                return std::future::pending().await;
            };
            let changed = names(ready.get_inner()).contains(&self.name);
            ready.clear_ready();
            if changed {
                return;
            }
        }
    }
}

/// Of all files in the directory that changed; reads until there is no more.
fn names(events: &OwnedFd) -> Vec<OsString> {
    let mut buffer = [MaybeUninit::<u8>::uninit(); 4096];
    let mut reader = inotify::Reader::new(events, &mut buffer);
    let mut names = Vec::new();
    while let Ok(event) = reader.next() {
        let name = event.file_name().map(|name| name.to_bytes().to_vec());
        names.extend(name.map(OsString::from_vec));
    }
    names
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use super::*;

    #[tokio::test]
    async fn a_replaced_file_is_noticed_and_its_neighbours_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let mut changes = FileChanges::of(&path).unwrap();
        fs::write(dir.path().join("b"), "x").unwrap();
        let noticed = tokio::time::timeout(Duration::from_millis(50), changes.next()).await;
        assert!(noticed.is_err(), "a neighbour changed");
        for _ in 0..2 {
            fs::write(dir.path().join("new"), "x").unwrap();
            fs::rename(dir.path().join("new"), &path).unwrap();
            tokio::time::timeout(Duration::from_secs(5), changes.next())
                .await
                .expect("it was replaced");
        }
    }
}
