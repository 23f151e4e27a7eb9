//! Sparse files with a file system in them: a machine's disk, a volume. Made under a temporary name and renamed, so a
//! file under its own name is always whole and is never formatted again.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use types::Bytes;

use crate::error::{Context, MachineError, Result};

const TEMPORARY: &str = "making";
/// Below this much free space nothing new is begun: the file system's own tables need some of it.
const LEAST_FREE: u64 = 256 << 20;

/// Makes the file, or finds it.
pub fn ensure(path: &Path, size: Bytes) -> Result<()> {
    if path.try_exists().doing("look at", path)? {
        return Ok(());
    }
    let dir = path.parent().unwrap_or(path);
    if free(dir)? < LEAST_FREE {
        return Err(MachineError::HostFull {
            path: path.to_owned(),
        });
    }
    let temporary = path.with_extension(TEMPORARY);
    let made = make(&temporary, size);
    if made.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    made?;
    std::fs::rename(&temporary, path).doing("rename", &temporary)?;
    File::open(dir).and_then(|dir| dir.sync_all()).doing("sync", dir)
}

fn make(path: &Path, size: Bytes) -> Result<()> {
    let file = File::create(path).doing("create", path)?;
    file.set_len(size.0).doing("size", path)?;
    let output = Command::new(tool()?)
        .args(["-q", "-F", "-m", "0", "-b", "4096", "-O", "^resize_inode"])
        // The file is new and sparse: it reads as zeros, there is nothing to clear or to discard.
        .args([
            "-E",
            "nodiscard,lazy_itable_init=1,lazy_journal_init=1,root_owner=0:0",
        ])
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .doing("run mkfs.ext4 on", path)?;
    if !output.status.success() {
        if free(path.parent().unwrap_or(path))? < (1 << 20) {
            return Err(MachineError::HostFull {
                path: path.to_owned(),
            });
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(MachineError::Format {
            path: path.to_owned(),
            said,
        });
    }
    file.sync_all().doing("sync", path)
}

fn tool() -> Result<PathBuf> {
    super::process::tool("mkfs.ext4", "e2fsprogs")
}

pub fn free(dir: &Path) -> Result<u64> {
    let space = rustix::fs::statvfs(dir)
        .map_err(io::Error::from)
        .doing("look at", dir)?;
    Ok(space.f_bavail * space.f_frsize)
}
