//! Volumes as sparse files, each with a file system in it. They outlive the machines they are attached to.

use std::{
    io,
    path::{Path, PathBuf},
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

#[derive(Debug, Clone)]
pub struct FileVolumes {
    dir: PathBuf,
}

impl FileVolumes {
    /// `state` is the platform's state directory.
    pub fn new(state: &Path) -> Self {
        Self {
            dir: state.join("volumes"),
        }
    }

    fn path(&self, id: &VolumeId) -> PathBuf {
        self.dir.join(format!("{id}.img"))
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
        // Only if it was the last one.
        let _ = std::fs::remove_dir(&self.dir);
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
        crate::nspawn::off_the_runtime(move || this.ensure_now(&volume)).await
    }

    async fn observe(&self, id: &VolumeId) -> Observed<VolumeObserved> {
        self.observe_now(id)
    }

    async fn remove(&self, id: &VolumeId) -> std::result::Result<(), Fault> {
        let (this, id) = (self.clone(), id.clone());
        crate::nspawn::off_the_runtime(move || this.remove_now(&id)).await
    }

    async fn scan(&self) -> std::result::Result<Vec<Found>, Fault> {
        let this = self.clone();
        crate::nspawn::off_the_runtime(move || this.scan_now()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_is_made_once_and_its_content_is_kept() {
        let state = tempfile::tempdir().unwrap();
        let volumes = FileVolumes::new(state.path());
        let desired = VolumeDesired {
            id: VolumeId::generate(),
            size: Bytes::mib(64),
        };
        assert!(volumes.observe_now(&desired.id).is_absent());
        let made = volumes.ensure_now(&desired).unwrap();
        let before = std::fs::read(&made.source).unwrap();
        assert_eq!(volumes.ensure_now(&desired).unwrap(), made);
        assert!(
            std::fs::read(&made.source).unwrap() == before,
            "it was formatted again"
        );
        assert_eq!(volumes.scan_now().unwrap().len(), 1);
        volumes.remove_now(&desired.id).unwrap();
        volumes.remove_now(&desired.id).unwrap();
        assert!(volumes.scan_now().unwrap().is_empty());
    }

    #[test]
    fn one_that_was_half_made_is_made_anew() {
        let state = tempfile::tempdir().unwrap();
        let volumes = FileVolumes::new(state.path());
        let desired = VolumeDesired {
            id: VolumeId::generate(),
            size: Bytes::mib(64),
        };
        std::fs::create_dir_all(&volumes.dir).unwrap();
        std::fs::write(volumes.path(&desired.id).with_extension("making"), b"half").unwrap();
        volumes.ensure_now(&desired).unwrap();
        assert_eq!(volumes.scan_now().unwrap().len(), 1);
    }
}
