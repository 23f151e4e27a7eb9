//! User ids of machines. Root inside a machine is an ordinary, host-unique id outside; file systems are shown to it
//! through id-mapped mounts, so what is stored on a disk says 0 for root and may move between machines.

use std::{
    fs::File,
    io,
    os::fd::{AsRawFd, BorrowedFd, OwnedFd},
};

use rustix::io::Errno;

use crate::error::{MachineError, Result};

/// Ids `base .. base + count` of the host are `0 .. count` inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UidRange {
    pub base: u32,
    pub count: u32,
}

/// A user namespace that exists only to carry a map; no process lives in it.
pub struct UserNamespace {
    fd: OwnedFd,
}

impl UserNamespace {
    pub fn new(range: UidRange) -> Result<Self> {
        make(range).map_err(|error| MachineError::Kernel {
            feature: "user namespaces",
            source: Errno::from_io_error(&error).unwrap_or(Errno::IO),
        })
    }

    /// Makes a mount that is not attached anywhere yet show its files with our ids.
    pub fn map(&self, mount: BorrowedFd<'_>) -> Result<()> {
        #[repr(C)]
        struct MountAttr {
            set: u64,
            clear: u64,
            propagation: u64,
            userns: u64,
        }
        const MOUNT_ATTR_IDMAP: u64 = 0x0010_0000;
        let attributes = MountAttr {
            set: MOUNT_ATTR_IDMAP,
            clear: 0,
            propagation: 0,
            userns: u64::from(self.fd.as_raw_fd().unsigned_abs()),
        };
        // SAFETY: the structure matches the kernel's first version of it and its size is passed.
        let result = unsafe {
            libc::syscall(
                libc::SYS_mount_setattr,
                mount.as_raw_fd(),
                c"".as_ptr(),
                libc::AT_EMPTY_PATH,
                &raw const attributes,
                size_of::<MountAttr>(),
            )
        };
        if result == 0 {
            return Ok(());
        }
        let source = Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO);
        Err(MachineError::Kernel {
            feature: "id-mapped mounts",
            source,
        })
    }
}

/// A child is needed for a moment, because a namespace is made by entering it. The child shares no pipe with us: one
/// made at the same time by another thread would hold the other's end, and both would wait for ever.
fn make(range: UidRange) -> io::Result<UserNamespace> {
    // SAFETY: the child makes system calls only and never returns.
    let child = unsafe { libc::syscall(libc::SYS_clone, libc::CLONE_NEWUSER | libc::SIGCHLD, 0, 0, 0, 0) };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    if child == 0 {
        // SAFETY: as above. It ends with us if we die before ending it.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            loop {
                libc::pause();
            }
        }
    }
    let child = i32::try_from(child).unwrap_or(i32::MAX);
    let result = write_maps(child, range).and_then(|()| File::open(format!("/proc/{child}/ns/user")));
    // SAFETY: ends and reaps the child made above; nobody else waits for it.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
    Ok(UserNamespace { fd: result?.into() })
}

fn write_maps(child: i32, range: UidRange) -> io::Result<()> {
    let map = format!("0 {} {}", range.base, range.count);
    std::fs::write(format!("/proc/{child}/uid_map"), &map)?;
    std::fs::write(format!("/proc/{child}/gid_map"), &map)
}

/// Runs `work` in a thread whose files belong to the machine's root. An id-mapped mount has no place for the host's
/// root, so whatever is made in a machine's file systems is made this way. Only the thread changes; it ends here.
pub fn as_root_of<T: Send>(range: UidRange, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            assume(range.base).map_err(|error| MachineError::Kernel {
                feature: "file system ids",
                source: Errno::from_io_error(&error).unwrap_or(Errno::PERM),
            })?;
            work()
        });
        match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Raw system calls: the C library's wrappers would change every thread of the process.
fn assume(id: u32) -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    const VERSION_3: u32 = 0x2008_0522;
    let header = Header {
        version: VERSION_3,
        pid: 0,
    };
    let mut data = [0u32; 6];
    // SAFETY: the header and the two data records of version 3 are passed as the kernel defines them.
    let done = unsafe {
        let read = libc::syscall(libc::SYS_capget, &raw const header, data.as_mut_ptr());
        libc::syscall(libc::SYS_setfsgid, id);
        libc::syscall(libc::SYS_setfsuid, id);
        // Leaving file system id 0 took the file capabilities away; what is permitted is taken back.
        read == 0 && libc::syscall(libc::SYS_capset, &raw const header, data.as_ptr()) == 0
    };
    if done {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_made_at_once() {
        let range = |n: u32| UidRange {
            base: 0x7f00_0000 + n * 65_536,
            count: 65_536,
        };
        std::thread::scope(|scope| {
            for n in 0..16 {
                scope.spawn(move || (0..20).for_each(|_| drop(UserNamespace::new(range(n)).unwrap())));
            }
        });
    }
}
