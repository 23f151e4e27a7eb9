//! A directory of blobs named by their digest, written so that a half-written one can never be mistaken for a whole one.
//!
//! Guarantees: content goes to `tmp/` on the same file system, is flushed to disk, then renamed; the directory is flushed
//! after it. Two writers of the same blob both succeed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::{CacheError, io_error};
use crate::digest::{Digest, HashWriter};

/// A blob by digest and size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Descriptor {
    pub digest: Digest,
    pub size: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct BlobDir {
    root: PathBuf,
}

impl BlobDir {
    pub(crate) fn open(root: PathBuf) -> Result<Self, CacheError> {
        for dir in ["blobs/sha256", "tmp"] {
            let path = root.join(dir);
            fs::create_dir_all(&path).map_err(io_error("create", &path))?;
        }
        Ok(Self { root })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn path(&self, digest: &Digest) -> PathBuf {
        self.root.join("blobs/sha256").join(digest.hex())
    }

    /// Whether the blob is there in its full length. Content is checked by [`BlobDir::is_intact`].
    pub(crate) fn has(&self, blob: &Descriptor) -> bool {
        fs::metadata(self.path(&blob.digest)).is_ok_and(|m| m.is_file() && m.len() == blob.size)
    }

    /// Whether the blob's content still has its digest.
    pub(crate) fn is_intact(&self, blob: &Descriptor) -> bool {
        File::open(self.path(&blob.digest))
            .and_then(Digest::of_reader)
            .is_ok_and(|(digest, size)| digest == blob.digest && size == blob.size)
    }

    pub(crate) fn put_bytes(&self, bytes: &[u8]) -> Result<Descriptor, CacheError> {
        self.put(|out| out.write_all(bytes))
    }

    /// Stores what `write` produces.
    pub(crate) fn put(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Descriptor, CacheError> {
        let scratch = self.scratch()?;
        let path = scratch.path().join("blob");
        let file = File::create(&path).map_err(io_error("create", &path))?;
        let mut out = HashWriter::new(BufWriter::with_capacity(256 * 1024, file));
        write(&mut out)
            .and_then(|()| out.flush())
            .map_err(io_error("write", &path))?;
        let (digest, size, _) = out.finish();
        let blob = Descriptor { digest, size };
        self.place(&path, &blob, 0o444)?;
        Ok(blob)
    }

    /// Stores a copy of a file; a hard link where that is possible, so the file must not change afterwards.
    pub(crate) fn put_file(&self, path: &Path) -> Result<Descriptor, CacheError> {
        let scratch = self.scratch()?;
        let copy = scratch.path().join("blob");
        fs::hard_link(path, &copy)
            .or_else(|_| fs::copy(path, &copy).map(drop))
            .map_err(io_error("copy", path))?;
        self.adopt(&copy, false)
    }

    /// Takes over a finished file from a scratch directory of this store.
    pub(crate) fn adopt(&self, path: &Path, executable: bool) -> Result<Descriptor, CacheError> {
        let file = File::open(path).map_err(io_error("open", path))?;
        let (digest, size) = Digest::of_reader(file).map_err(io_error("read", path))?;
        let blob = Descriptor { digest, size };
        self.place(path, &blob, if executable { 0o555 } else { 0o444 })?;
        Ok(blob)
    }

    /// Renames a complete file to its blob name. An existing blob that is whole stays, so that links to it stay shared.
    fn place(&self, from: &Path, blob: &Descriptor, mode: u32) -> Result<(), CacheError> {
        let to = self.path(&blob.digest);
        if self.is_intact(blob) {
            let now = fs::metadata(&to)
                .map_err(io_error("read", &to))?
                .permissions()
                .mode()
                & 0o777;
            if now | mode != now {
                fs::set_permissions(&to, fs::Permissions::from_mode(now | mode))
                    .map_err(io_error("chmod", &to))?;
            }
            return fs::remove_file(from).map_err(io_error("remove", from));
        }
        fs::set_permissions(from, fs::Permissions::from_mode(mode)).map_err(io_error("chmod", from))?;
        File::open(from)
            .and_then(|f| f.sync_all())
            .map_err(io_error("flush", from))?;
        fs::rename(from, &to).map_err(io_error("rename", &to))?;
        sync_dir(to.parent().unwrap_or(&self.root))
    }

    /// Writes a small file under `root` so that readers see the old or the new one.
    pub(crate) fn replace(&self, to: &Path, bytes: &[u8]) -> Result<(), CacheError> {
        let scratch = self.scratch()?;
        let path = scratch.path().join("file");
        let write = || -> io::Result<()> {
            let mut file = File::create(&path)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&path, to)
        };
        write().map_err(io_error("write", to))?;
        sync_dir(to.parent().unwrap_or(&self.root))
    }

    /// A directory for unfinished work that disappears with its handle.
    pub(crate) fn scratch(&self) -> Result<Scratch, CacheError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let path = self.root.join("tmp").join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Scratch { path }),
                // Left by a killed process that had the same number.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(io_error("create", &path)(e)),
            }
        }
    }

    /// Removes what a killed process left in `tmp/`. Only the holder of the lock may call it.
    pub(crate) fn sweep(&self) -> Result<(), CacheError> {
        let tmp = self.root.join("tmp");
        for entry in fs::read_dir(&tmp).map_err(io_error("list", &tmp))? {
            let path = entry.map_err(io_error("list", &tmp))?.path();
            let removed = if path.is_dir() {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            // A tool that outlived its killed builder may still write there; the next sweep gets it.
            match removed {
                Ok(()) => tracing::debug!(path = %path.display(), "removed unfinished work"),
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "unfinished work is left for now")
                }
            }
        }
        Ok(())
    }
}

/// Flushes a directory, so that a rename in it survives a power cut.
pub(crate) fn sync_dir(path: &Path) -> Result<(), CacheError> {
    File::open(path)
        .and_then(|d| d.sync_all())
        .map_err(io_error("flush", path))
}

pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "unfinished work is left; the next build removes it");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, BlobDir) {
        let dir = tempfile::tempdir().unwrap();
        let blobs = BlobDir::open(dir.path().to_owned()).unwrap();
        (dir, blobs)
    }

    #[test]
    fn a_blob_is_found_by_its_digest() {
        let (_dir, blobs) = store();
        let blob = blobs.put_bytes(b"hello").unwrap();
        assert_eq!(blob.digest, Digest::of("hello"));
        assert!(blobs.has(&blob) && blobs.is_intact(&blob));
        assert_eq!(fs::read(blobs.path(&blob.digest)).unwrap(), b"hello");
        assert_eq!(fs::read_dir(blobs.root().join("tmp")).unwrap().count(), 0);
    }

    #[test]
    fn a_half_written_blob_is_never_used() {
        let (_dir, blobs) = store();
        let blob = Descriptor {
            digest: Digest::of("whole content"),
            size: 13,
        };
        fs::write(blobs.path(&blob.digest), "whole").unwrap();
        assert!(!blobs.has(&blob));
        assert!(!blobs.is_intact(&blob));
        assert_eq!(blobs.put_bytes(b"whole content").unwrap(), blob);
        assert!(blobs.is_intact(&blob));
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let (_dir, blobs) = store();
        let error = blobs
            .put(|out| {
                out.write_all(b"first half")?;
                Err(io::Error::from(io::ErrorKind::StorageFull))
            })
            .unwrap_err();
        assert_eq!(error.code(), "disk_full");
        assert_eq!(fs::read_dir(blobs.root().join("tmp")).unwrap().count(), 0);
        assert_eq!(
            fs::read_dir(blobs.root().join("blobs/sha256")).unwrap().count(),
            0
        );
    }

    #[test]
    fn sweeping_removes_what_a_killed_writer_left() {
        let (_dir, blobs) = store();
        fs::create_dir(blobs.root().join("tmp/4711-0")).unwrap();
        fs::write(blobs.root().join("tmp/4711-0/blob"), "half").unwrap();
        blobs.sweep().unwrap();
        assert_eq!(fs::read_dir(blobs.root().join("tmp")).unwrap().count(), 0);
    }

    #[test]
    fn a_binary_becomes_executable_even_if_its_content_was_there() {
        let (_dir, blobs) = store();
        let blob = blobs.put_bytes(b"#!").unwrap();
        let scratch = blobs.scratch().unwrap();
        fs::write(scratch.path().join("out"), "#!").unwrap();
        assert_eq!(blobs.adopt(&scratch.path().join("out"), true).unwrap(), blob);
        assert_eq!(
            fs::metadata(blobs.path(&blob.digest))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o555
        );
    }
}
