//! Mounts as container runtimes want them: propagation shared all the way, every cgroup hierarchy writable.

use std::{io, path::PathBuf};

use rustix::mount::{MountFlags, MountPropagationFlags, mount_change, mount_remount};

use crate::mounts;

#[derive(Debug, thiserror::Error)]
pub enum FilesystemError {
    #[error("the root cannot be made shared: {0}")]
    Share(rustix::io::Errno),
    #[error("the mount table cannot be read: {0}")]
    Table(io::Error),
    #[error("{at} cannot be made writable: {source}")]
    Writable { at: PathBuf, source: rustix::io::Errno },
}

pub fn make_usable() -> Result<(), FilesystemError> {
    mount_change("/", MountPropagationFlags::SHARED | MountPropagationFlags::REC)
        .map_err(FilesystemError::Share)?;
    for mount in mounts::read().map_err(FilesystemError::Table)? {
        if mount.read_only && matches!(mount.kind.as_str(), "cgroup" | "cgroup2") {
            let flags = MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            mount_remount(&mount.at, flags, "").map_err(|source| FilesystemError::Writable {
                at: mount.at.clone(),
                source,
            })?;
        }
    }
    Ok(())
}
