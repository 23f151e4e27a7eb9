//! Making and taking away mounts. A mount is built unattached, mapped to the machine's ids, and only then put in its
//! place, so that it is never seen half-made.

use std::{
    os::fd::{AsFd, OwnedFd},
    path::Path,
    time::{Duration, Instant},
};

use rustix::{
    io::Errno,
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags,
        UnmountFlags, fsconfig_create, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, mount_change,
        move_mount, open_tree, unmount,
    },
};

use super::{identity::UserNamespace, mount_table};
use crate::error::{Context, MachineError, Result};

/// How long a busy mount is asked again before it is only taken out of sight.
const PATIENCE: Duration = Duration::from_secs(3);
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// A mount that is attached nowhere yet.
pub struct Detached {
    fd: OwnedFd,
}

impl Detached {
    /// The ext4 file system on a block device.
    pub fn ext4(device: &Path) -> Result<Self> {
        let kernel = |source| MachineError::Kernel {
            feature: "mounting ext4",
            source,
        };
        let context = fsopen("ext4", FsOpenFlags::FSOPEN_CLOEXEC).map_err(kernel)?;
        fsconfig_set_string(context.as_fd(), "source", device).map_err(kernel)?;
        // The images are made sparse, so their unused inode tables are zero already.
        fsconfig_set_flag(context.as_fd(), "noinit_itable").map_err(kernel)?;
        Self::finish(context, device)
    }

    /// An overlay. The directories belong to the machine, so this is called as its root.
    pub fn overlay(lower: &Path, upper: &Path, work: &Path) -> Result<Self> {
        let kernel = |source| MachineError::Kernel {
            feature: "overlay mounts",
            source,
        };
        let context = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC).map_err(kernel)?;
        for (key, value) in [
            ("source", Path::new("overlay")),
            ("lowerdir", lower),
            ("upperdir", upper),
            ("workdir", work),
        ] {
            fsconfig_set_string(context.as_fd(), key, value).map_err(kernel)?;
        }
        Self::finish(context, upper)
    }

    /// The kernel's objects, whole, as seen from a network in which there is nothing. Only the thread leaves the host's
    /// network; it ends here.
    pub fn sysfs() -> Result<Self> {
        let kernel = |source| MachineError::Kernel {
            feature: "mounting sysfs",
            source,
        };
        let make = || {
            // SAFETY: changes this thread's network namespace and nothing of the process's.
            if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
                let error = std::io::Error::last_os_error();
                return Err(kernel(Errno::from_io_error(&error).unwrap_or(Errno::PERM)));
            }
            let context = fsopen("sysfs", FsOpenFlags::FSOPEN_CLOEXEC).map_err(kernel)?;
            let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID
                | MountAttrFlags::MOUNT_ATTR_NODEV
                | MountAttrFlags::MOUNT_ATTR_NOEXEC;
            Self::with(context, Path::new("sysfs"), attributes)
        };
        std::thread::scope(|scope| match scope.spawn(make).join() {
            Ok(made) => made,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    }

    fn finish(context: OwnedFd, what: &Path) -> Result<Self> {
        Self::with(context, what, MountAttrFlags::empty())
    }

    fn with(context: OwnedFd, what: &Path, attributes: MountAttrFlags) -> Result<Self> {
        fsconfig_create(context.as_fd()).doing("mount", what)?;
        let fd = fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes).doing("mount", what)?;
        Ok(Self { fd })
    }

    /// What is at `path` already, once more.
    pub fn copy(path: &Path) -> Result<Self> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        Ok(Self {
            fd: open_tree(rustix::fs::CWD, path, flags).doing("mount", path)?,
        })
    }

    pub fn mapped(self, namespace: &UserNamespace) -> Result<Self> {
        namespace.map(self.fd.as_fd())?;
        Ok(self)
    }

    pub fn attach(self, at: &Path) -> Result<()> {
        let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        move_mount(self.fd.as_fd(), "", rustix::fs::CWD, at, flags).doing("mount at", at)
    }

    /// At a directory that is open: its path may lead through links of the machine's making.
    pub fn attach_to(self, dir: impl AsFd, named: &Path) -> Result<()> {
        let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
        move_mount(self.fd.as_fd(), "", dir.as_fd(), "", flags).doing("mount at", named)
    }
}

/// Makes what is mounted below `dir` go everywhere when it goes here. A process that was started in a mount namespace
/// of its own has a copy of everything that was mounted then, and would hold a disk for as long as it runs.
pub fn share(dir: &Path) -> Result<()> {
    Detached::copy(dir)?.attach(dir)?;
    mount_change(dir, MountPropagationFlags::SHARED).doing("share", dir)
}

/// Takes away every mount at or below `dir`, the innermost first.
pub fn unmount_below(dir: &Path) -> Result<()> {
    let table = mount_table::read().doing("read", Path::new("/proc/self/mountinfo"))?;
    let deadline = Instant::now() + PATIENCE;
    for mount in table.iter().rev().filter(|mount| mount.at.starts_with(dir)) {
        take_away(&mount.at, deadline)?;
    }
    Ok(())
}

fn take_away(at: &Path, deadline: Instant) -> Result<()> {
    loop {
        match unmount(at, UnmountFlags::NOFOLLOW) {
            Ok(()) | Err(Errno::INVAL | Errno::NOENT) => return Ok(()),
            Err(Errno::BUSY) if Instant::now() < deadline => crate::host::pause::pause(ASK_AGAIN),
            Err(Errno::BUSY) => {
                return unmount(at, UnmountFlags::NOFOLLOW | UnmountFlags::DETACH).doing("unmount", at);
            }
            Err(error) => return Err(error).doing("unmount", at),
        }
    }
}
