//! Free space, asked before work that needs much of it, so that a full disk is an answer and not an accident.

use std::path::Path;

use super::{CacheError, io_error};

/// Bytes an ordinary writer can still use on the file system of `path` (or of its nearest existing parent).
pub(crate) fn free(path: &Path) -> std::io::Result<u64> {
    let existing = path.ancestors().find(|p| p.exists()).unwrap_or(Path::new("/"));
    let stat = rustix::fs::statvfs(existing)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Refuses with [`CacheError::DiskFull`] unless `need` bytes are free.
pub(crate) fn require_free(path: &Path, need: u64) -> Result<(), CacheError> {
    let free = free(path).map_err(io_error("measure", path))?;
    if free < need {
        Err(CacheError::DiskFull {
            path: path.to_owned(),
            need,
            free,
        })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_gets_refused() {
        let dir = tempfile::tempdir().unwrap();
        require_free(dir.path(), 1).unwrap();
        let error = require_free(&dir.path().join("not/yet"), u64::MAX).unwrap_err();
        assert_eq!(error.code(), "disk_full");
        assert!(error.remedy().contains("are free"), "{}", error.remedy());
    }
}
