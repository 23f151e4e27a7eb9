//! Loaded images by cluster. Shared by clones, as a disk would be.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use types::{ClusterId, Fault};

use crate::Images;

#[derive(Clone, Default)]
pub struct FakeImages {
    loaded: Arc<Mutex<BTreeMap<ClusterId, Vec<String>>>>,
}

#[async_trait]
impl Images for FakeImages {
    fn directory(&self, cluster: &ClusterId) -> PathBuf {
        PathBuf::from(format!("/fake/images/{cluster}"))
    }

    /// The archive's file name stands for the image in it.
    async fn load(&self, cluster: &ClusterId, archive: &Path) -> Result<Vec<String>, Fault> {
        let name = archive
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.entry(cluster.clone()).or_default().push(name.clone());
        Ok(vec![name])
    }

    async fn list(&self, cluster: &ClusterId) -> Result<Vec<String>, Fault> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(loaded.get(cluster).cloned().unwrap_or_default())
    }

    async fn forget(&self, cluster: &ClusterId) -> Result<(), Fault> {
        self.loaded
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(cluster);
        Ok(())
    }
}
