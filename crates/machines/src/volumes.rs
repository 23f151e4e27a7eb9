//! Volumes as sparse files, each with a file system in it. They outlive the machines they are attached to.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use ports::{
    Volumes,
    scan::{Found, FoundKind},
    volumes::{VolumeDesired, VolumeObserved},
};
use types::{Bytes, Fault, VolumeId, status::Observed};

use crate::{
    error::{Context, Result},
    host::{ext4, loopdev},
};

/// A cheap handle; clones share the locks. Assumes one of them for a state directory.
#[derive(Debug, Clone)]
pub struct FileVolumes {
    dir: PathBuf,
    /// Who is answered may mount the volume at once, so nobody else may still be formatting it.
    locks: Arc<Mutex<HashMap<VolumeId, Arc<Mutex<()>>>>>,
}

impl FileVolumes {
    /// `state` is the platform's state directory.
    pub fn new(state: &Path) -> Self {
        Self {
            dir: state.join("volumes"),
            locks: Arc::default(),
        }
    }

    fn path(&self, id: &VolumeId) -> PathBuf {
        self.dir.join(format!("{id}.img"))
    }

    /// Work on one volume is done one thing at a time, on different volumes at once.
    fn alone<T>(&self, id: &VolumeId, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let lock = {
            let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
            locks.retain(|other, lock| other == id || Arc::strong_count(lock) > 1);
            locks.entry(id.clone()).or_default().clone()
        };
        let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    fn ensure_now(&self, volume: &VolumeDesired) -> Result<VolumeObserved> {
        std::fs::create_dir_all(&self.dir).doing("make", &self.dir)?;
        let source = self.path(&volume.id);
        ext4::ensure(&source, volume.size)?;
        let size = Bytes(std::fs::metadata(&source).doing("look at", &source)?.len());
        Ok(VolumeObserved { source, size })
    }

    fn observe_now(&self, id: &VolumeId) -> Observed<VolumeObserved> {
        let source = self.path(id);
        match std::fs::metadata(&source) {
            Ok(file) => Observed::Present(VolumeObserved {
                source,
                size: Bytes(file.len()),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Observed::Absent,
            Err(error) => Observed::Unknown(format!("{}: {error}", source.display())),
        }
    }

    fn remove_now(&self, id: &VolumeId) -> Result<()> {
        let path = self.path(id);
        if path.try_exists().doing("look at", &path)? {
            loopdev::wait_until_free(&path)?;
            std::fs::remove_file(&path).doing("remove", &path)?;
        }
        let _ = std::fs::remove_file(path.with_extension("making"));
        Ok(())
    }

    fn scan_now(&self) -> Result<Vec<Found>> {
        let entries = match std::fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.doing("list", &self.dir)?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.doing("list", &self.dir)?.path();
            let owner = path
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
                .unwrap_or_default();
            found.push(Found {
                what: FoundKind::File,
                name: path.display().to_string(),
                owner,
            });
        }
        found.sort();
        Ok(found)
    }
}

#[async_trait]
impl Volumes for FileVolumes {
    async fn ensure(&self, volume: &VolumeDesired) -> std::result::Result<VolumeObserved, Fault> {
        let (this, volume) = (self.clone(), volume.clone());
        crate::nspawn::off_the_runtime(move || this.alone(&volume.id, || this.ensure_now(&volume))).await
    }

    async fn observe(&self, id: &VolumeId) -> Observed<VolumeObserved> {
        self.observe_now(id)
    }

    async fn remove(&self, id: &VolumeId) -> std::result::Result<(), Fault> {
        let (this, id) = (self.clone(), id.clone());
        crate::nspawn::off_the_runtime(move || this.alone(&id, || this.remove_now(&id))).await
    }

    async fn scan(&self) -> std::result::Result<Vec<Found>, Fault> {
        let this = self.clone();
        crate::nspawn::off_the_runtime(move || this.scan_now()).await
    }
}
