//! The last configuration, on disk. Replaced in one step and synced, so that after a loss of power there is the old one or
//! the new one.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use ports::edge::EdgeConfig;
use rustix::fs::{FlockOperation, flock};

use crate::error::Error;

/// The state directory, held by this process alone.
pub(crate) struct Stored {
    dir: PathBuf,
    _lock: File,
}

impl Stored {
    pub(crate) fn open(dir: &Path) -> Result<Self, Error> {
        let lock = dir.join("edge.lock");
        let failed = |source: io::Error| Error::File {
            what: "opening",
            path: lock.clone(),
            source,
        };
        // It may be the first to make the platform's state directory, which is for root alone.
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)
            .map_err(failed)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&lock)
            .map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self {
                dir: dir.to_owned(),
                _lock: file,
            }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::AlreadyRunning { path: dir.to_owned() }),
            Err(errno) => Err(failed(errno.into())),
        }
    }

    fn path(&self) -> PathBuf {
        self.dir.join("edge.json")
    }

    /// The last configuration. One that cannot be read is put aside; the next push brings a whole one.
    pub(crate) fn load(&self) -> Result<Option<EdgeConfig>, Error> {
        let path = self.path();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(Error::File {
                    what: "reading",
                    path,
                    source,
                });
            }
        };
        match serde_json::from_slice(&bytes) {
            Ok(config) => Ok(Some(config)),
            Err(error) => {
                let aside = path.with_extension("json.damaged");
                tracing::error!(%error, aside = %aside.display(), "the stored configuration is damaged and put aside");
                fs::rename(&path, &aside).map_err(|source| Error::File {
                    what: "putting aside",
                    path,
                    source,
                })?;
                Ok(None)
            }
        }
    }

    pub(crate) fn save(&self, config: &EdgeConfig) -> Result<(), Error> {
        let path = self.path();
        let text = serde_json::to_vec(config).expect("a configuration is plain data");
        let write = || -> io::Result<()> {
            let temporary = path.with_extension("json.new");
            let mut file = OpenOptions::new()
                .create(true)
                .truncate(true)
                .write(true)
                .mode(0o600)
                .open(&temporary)?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&temporary, &path)?;
            File::open(&self.dir)?.sync_all()
        };
        write().map_err(|source| Error::File {
            what: "writing",
            path: path.clone(),
            source,
        })
    }
}
