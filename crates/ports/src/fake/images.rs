//! Loaded images by cluster. Shared by clones, as a disk would be.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use types::{ClusterId, Fault};

use crate::Images;

/// A path stands for what is in the archive: `/fake/archives/<name of the image>.tar`. All else is no archive.
const ARCHIVES: &str = "/fake/archives/";

#[derive(Clone, Default)]
pub struct FakeImages {
    loaded: Arc<Mutex<BTreeMap<ClusterId, BTreeSet<String>>>>,
}

#[async_trait]
impl Images for FakeImages {
    fn directory(&self, cluster: &ClusterId) -> PathBuf {
        PathBuf::from(format!("/fake/images/{cluster}"))
    }

    async fn load(&self, cluster: &ClusterId, archive: &Path) -> Result<Vec<String>, Fault> {
        let path = archive.to_string_lossy();
        let name = path
            .strip_prefix(ARCHIVES)
            .and_then(|name| name.strip_suffix(".tar"));
        let Some(name) = name.map(str::to_owned) else {
            let cause = format!("{path} is no archive of images");
            return Err(Fault::invalid(
                "archive-not-an-image",
                cause,
                "save the image again",
            ));
        };
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.entry(cluster.clone()).or_default().insert(name.clone());
        Ok(vec![name])
    }

    async fn list(&self, cluster: &ClusterId) -> Result<Vec<String>, Fault> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(loaded.get(cluster).into_iter().flatten().cloned().collect())
    }

    async fn forget(&self, cluster: &ClusterId) -> Result<(), Fault> {
        self.loaded
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(cluster);
        Ok(())
    }
}
