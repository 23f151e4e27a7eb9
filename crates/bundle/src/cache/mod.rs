//! The content-addressed cache that all platform instances of a machine share.
//!
//! ```text
//! blobs/sha256/<hex>   binaries, image layers, configs, manifests, root file systems, bundle manifests
//! recipes/<key>.json   "this recipe gave that blob": what makes a build resumable
//! trees/<hex>/         unpacked roots; binaries in them are hard links to blobs
//! refs/<version>.json  the current bundle of a release
//! tmp/                 unfinished work, swept by the next holder of the lock
//! lock                 held by whoever builds or imports
//! ```
//!
//! Guarantees: a file appears under its final name only when it is complete and on disk. Readers need no lock.
//! Assumption: everything lies on one file system, so that rename and hard links work.

mod blobs;
mod lock;
mod recipes;
mod space;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use blobs::Descriptor;
pub(crate) use blobs::{BlobDir, Scratch, sync_dir};
pub use lock::Lock;
pub(crate) use space::require_free;

use crate::Digest;

#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    #[error("cannot {doing} {}", path.display())]
    Io {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("no space left under {} ({} MiB needed, {} MiB free)", path.display(), need >> 20, free >> 20)]
    DiskFull { path: PathBuf, need: u64, free: u64 },
    #[error("{} is not what it says it is: {found}", path.display())]
    Corrupt { path: PathBuf, found: String },
}

impl CacheError {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "cache_io",
            Self::DiskFull { .. } => "disk_full",
            Self::Corrupt { .. } => "cache_corrupt",
        }
    }

    pub fn remedy(&self) -> String {
        match self {
            Self::Io { .. } => {
                "check that the directory exists, is writable by root and lies on a local file system".into()
            }
            Self::DiskFull { path, need, .. } => {
                format!(
                    "see that {} MiB are free on the file system of {} and run it again; finished parts are kept",
                    need >> 20,
                    path.display()
                )
            }
            Self::Corrupt { .. } => {
                "run `cloud bundle build` for this version again: it replaces damaged parts".into()
            }
        }
    }
}

/// Maps an I/O error to one with its context; a full disk gets its own variant.
pub(crate) fn io_error<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> CacheError + 'a {
    move |source| {
        if is_disk_full(&source) {
            let free = space::free(path).unwrap_or(0);
            CacheError::DiskFull {
                path: path.to_owned(),
                need: free + (64 << 20),
                free,
            }
        } else {
            CacheError::Io {
                doing,
                path: path.to_owned(),
                source,
            }
        }
    }
}

pub(crate) fn is_disk_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Handle to a cache directory; cheap to clone.
#[derive(Clone, Debug)]
pub struct Cache {
    blobs: BlobDir,
}

impl Cache {
    /// Opens the cache, making its directories where they are missing.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, CacheError> {
        let root = root.into();
        for dir in ["recipes", "trees", "refs"] {
            let path = root.join(dir);
            fs::create_dir_all(&path).map_err(io_error("create", &path))?;
        }
        Ok(Self {
            blobs: BlobDir::open(root)?,
        })
    }

    pub fn root(&self) -> &Path {
        self.blobs.root()
    }

    /// Path of a blob, whether or not it exists.
    pub fn blob_path(&self, digest: &Digest) -> PathBuf {
        self.blobs.path(digest)
    }

    pub(crate) fn blobs(&self) -> &BlobDir {
        &self.blobs
    }

    pub(crate) fn tree_path(&self, digest: &Digest) -> PathBuf {
        self.root().join("trees").join(digest.hex())
    }

    pub(crate) fn ref_path(&self, version: &str) -> PathBuf {
        self.root().join("refs").join(format!("{version}.json"))
    }

    /// Takes the one writer's place; `on_wait` is called if somebody else holds it.
    pub(crate) fn lock(&self, on_wait: impl FnOnce()) -> Result<Lock, CacheError> {
        let lock = Lock::take(&self.root().join("lock"), on_wait)?;
        self.blobs.sweep()?;
        Ok(lock)
    }
}
