//! The images a tenant loaded for a cluster: blobs and an index in one directory, a source for the [`Registry`](crate::Registry).
//!
//! Guarantees: an image is listed only when all its blobs are on disk; the index is replaced in one step; two writers of one
//! directory wait for each other. A refused archive leaves nothing.

mod read;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::archive::{ArchiveError, Limits, Staged};
use crate::cache::{BlobDir, CacheError, Descriptor, Lock, io_error};
use crate::oci::{ImageName, media};
use crate::{Digest, Error};

/// An image that was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoadedImage {
    /// Full name, `docker.io/library/app:v1`.
    pub name: String,
    /// Digest of its manifest.
    pub digest: Digest,
    /// Bytes of all its blobs.
    pub size: u64,
}

/// Handle to a directory of images; cheap to clone.
#[derive(Clone, Debug)]
pub struct ImageStore {
    blobs: BlobDir,
}

/// Content of `index.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Index {
    images: Vec<Entry>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    name: String,
    media_type: String,
    manifest: Descriptor,
    /// Config and layers.
    parts: Vec<Descriptor>,
}

/// An entry with its name parsed.
pub(crate) struct StoredImage {
    pub name: ImageName,
    pub media_type: String,
    pub manifest: Descriptor,
    parts: Vec<Descriptor>,
}

impl StoredImage {
    pub(crate) fn blobs(&self) -> impl Iterator<Item = &Descriptor> {
        std::iter::once(&self.manifest).chain(&self.parts)
    }
}

impl Entry {
    fn loaded(&self) -> LoadedImage {
        let size = self.manifest.size + self.parts.iter().map(|b| b.size).sum::<u64>();
        LoadedImage {
            name: self.name.clone(),
            digest: self.manifest.digest.clone(),
            size,
        }
    }
}

impl ImageStore {
    pub fn open(dir: impl Into<PathBuf>) -> Result<Self, Error> {
        Ok(Self {
            blobs: BlobDir::open(dir.into())?,
        })
    }

    /// Loads every image of a docker or OCI archive, gzipped or not.
    pub fn import(&self, archive: impl Read) -> Result<Vec<LoadedImage>, Error> {
        self.import_within(archive, Limits::default())
    }

    pub(crate) fn import_within(
        &self,
        archive: impl Read,
        limits: Limits,
    ) -> Result<Vec<LoadedImage>, Error> {
        let _lock = self.lock()?;
        let scratch = self.blobs.scratch()?;
        let staged = Staged::read(archive, &scratch, limits)?;
        let found = read::images(&staged)?;
        if found.is_empty() {
            return Err(ArchiveError::Unnamed.into());
        }
        let mut index = self.index()?;
        let mut loaded = Vec::new();
        let stored = found.iter().try_for_each(|image| -> Result<(), CacheError> {
            let mut parts = Vec::new();
            for path in &image.parts {
                parts.push(self.blobs.put_file(path)?);
            }
            let manifest = self.blobs.put_bytes(&image.manifest)?;
            for name in &image.names {
                let media_type = media::MANIFEST.to_owned();
                let media_type = image.media_type.clone().unwrap_or(media_type);
                let entry = Entry {
                    name: name.to_string(),
                    media_type,
                    manifest: manifest.clone(),
                    parts: parts.clone(),
                };
                loaded.push(entry.loaded());
                index.images.retain(|i| i.name != entry.name);
                index.images.push(entry);
            }
            Ok(())
        });
        if stored.is_ok() {
            index.images.sort_by(|a, b| a.name.cmp(&b.name));
            self.write(&index)?;
        }
        self.collect_garbage()?;
        stored?;
        Ok(loaded)
    }

    /// What is loaded, by name.
    pub fn list(&self) -> Result<Vec<LoadedImage>, Error> {
        Ok(self.index()?.images.iter().map(Entry::loaded).collect())
    }

    /// Forgets an image and what only it needed.
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        let _lock = self.lock()?;
        let unknown = || ArchiveError::Unknown {
            name: name.to_owned(),
        };
        let wanted = name.parse::<ImageName>().map_err(|_| unknown())?.to_string();
        let mut index = self.index()?;
        let before = index.images.len();
        index.images.retain(|i| i.name != wanted);
        if index.images.len() == before {
            return Err(unknown().into());
        }
        self.write(&index)?;
        Ok(self.collect_garbage()?)
    }

    pub(crate) fn images(&self) -> Result<Vec<StoredImage>, CacheError> {
        let parse = |entry: Entry| {
            let Entry {
                name,
                media_type,
                manifest,
                parts,
            } = entry;
            Some(StoredImage {
                name: name.parse().ok()?,
                media_type,
                manifest,
                parts,
            })
        };
        Ok(self.index()?.images.into_iter().filter_map(parse).collect())
    }

    pub(crate) fn blob_path(&self, digest: &Digest) -> PathBuf {
        self.blobs.path(digest)
    }

    fn lock(&self) -> Result<Lock, CacheError> {
        let lock = Lock::take(&self.blobs.root().join("lock"), || {
            tracing::info!("waiting for another load")
        })?;
        self.blobs.sweep()?;
        Ok(lock)
    }

    fn index_path(&self) -> PathBuf {
        self.blobs.root().join("index.json")
    }

    fn index(&self) -> Result<Index, CacheError> {
        let path = self.index_path();
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|e| CacheError::Corrupt {
                path,
                found: e.to_string(),
            }),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Index::default()),
            Err(e) => Err(io_error("read", &path)(e)),
        }
    }

    fn write(&self, index: &Index) -> Result<(), CacheError> {
        let text = serde_json::to_vec_pretty(index).unwrap_or_default();
        self.blobs.replace(&self.index_path(), &text)
    }

    /// Removes blobs that no image names. The lock must be held.
    fn collect_garbage(&self) -> Result<(), CacheError> {
        let images = self.images()?;
        let wanted = |file: &Path| {
            let name = file.file_name().unwrap_or_default();
            images
                .iter()
                .flat_map(StoredImage::blobs)
                .any(|b| name == b.digest.hex())
        };
        let dir = self.blobs.root().join("blobs/sha256");
        for entry in fs::read_dir(&dir).map_err(io_error("list", &dir))? {
            let path = entry.map_err(io_error("list", &dir))?.path();
            if !wanted(&path) {
                fs::remove_file(&path).map_err(io_error("remove", &path))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests;
