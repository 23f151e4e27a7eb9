//! The record of the generation of each network: which one was accepted and which one is fully in force.
//! It is a file per network, replaced by rename. It is not synced to disk: a host that loses power loses the namespace too.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use types::{Cidr, NetworkId};

use crate::error::Error;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Generations {
    /// Noted before the first change, so that an older one is refused even after a kill in the middle.
    pub accepted: u64,
    pub applied: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Records {
    dir: PathBuf,
}

impl Records {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    fn network(&self, id: &NetworkId) -> PathBuf {
        self.dir.join(format!("{id}.json"))
    }

    pub(crate) fn generations(&self, id: &NetworkId) -> Result<Generations, Error> {
        Ok(read(&self.network(id))?.unwrap_or_default())
    }

    pub(crate) fn write_generations(&self, id: &NetworkId, generations: Generations) -> Result<(), Error> {
        write(&self.dir, &self.network(id), &generations)
    }

    pub(crate) fn forget(&self, id: &NetworkId) -> Result<(), Error> {
        let path = self.network(id);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::File {
                what: "removing",
                path,
                source,
            }),
            _ => Ok(()),
        }
    }

    /// The range this instance took for its uplinks.
    pub(crate) fn uplinks(&self) -> Result<Option<Cidr>, Error> {
        read(&self.dir.join("uplinks.json"))
    }

    pub(crate) fn write_uplinks(&self, range: Cidr) -> Result<(), Error> {
        write(&self.dir, &self.dir.join("uplinks.json"), &range)
    }
}

/// A file that is missing or cannot be understood says nothing; what is in force is read from the kernel anyway.
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)
            .inspect_err(|error| tracing::warn!(path = %path.display(), %error, "the record is damaged and starts afresh"))
            .ok()),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::File { what: "reading", path: path.to_owned(), source }),
    }
}

fn write<T: Serialize>(dir: &Path, path: &Path, value: &T) -> Result<(), Error> {
    let text = serde_json::to_vec(value).expect("a record is plain data");
    let temporary = path.with_extension("new");
    fs::create_dir_all(dir)
        .and_then(|()| fs::write(&temporary, text))
        .and_then(|()| fs::rename(&temporary, path))
        .map_err(|source| Error::File {
            what: "writing",
            path: path.to_owned(),
            source,
        })
}
