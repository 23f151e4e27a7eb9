//! Entering a network namespace. A thread of the runtime never changes its namespace: work inside one is done on a thread
//! made for it, which ends with it.

use std::{fs::File, io, os::fd::AsFd, path::Path};

use rustix::{
    fs::statfs,
    thread::{LinkNameSpaceType, move_into_link_name_space},
};

use crate::error::Error;

/// The file system of namespaces, as the kernel numbers it.
const NSFS_MAGIC: i64 = 0x6e73_6673;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Mounted,
    /// A file where the namespace should be: whoever made it was killed before the mount.
    HalfMade,
    Absent,
}

pub(crate) fn presence(path: &Path) -> Result<Presence, Error> {
    match statfs(path) {
        Ok(found) if found.f_type == NSFS_MAGIC => Ok(Presence::Mounted),
        Ok(_) => Ok(Presence::HalfMade),
        Err(rustix::io::Errno::NOENT) => Ok(Presence::Absent),
        Err(errno) => Err(Error::File {
            what: "looking at",
            path: path.to_owned(),
            source: errno.into(),
        }),
    }
}

/// Runs `work` on a thread of its own inside the namespace.
pub(crate) fn inside<T: Send>(
    path: &Path,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let failed = |source: io::Error| Error::Enter {
        path: path.to_owned(),
        source,
    };
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("prismnet-ns".to_owned())
            .spawn_scoped(scope, || {
                let namespace = File::open(path).map_err(failed)?;
                move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))
                    .map_err(|errno| failed(errno.into()))?;
                work()
            })
            .map_err(failed)?
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
