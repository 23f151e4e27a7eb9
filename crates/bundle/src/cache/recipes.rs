//! Remembers which blob a recipe gave, so that a build goes on where it was stopped and skips what is there.

use std::fs;

use serde::{Deserialize, Serialize};

use super::{Cache, CacheError, Descriptor};
use crate::Digest;

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    name: String,
    blob: Descriptor,
}

impl Cache {
    /// The blob a recipe gave before, if it is still there and undamaged. A damaged one is forgotten, so that it is made anew.
    pub(crate) fn recall(&self, key: &Digest) -> Option<Descriptor> {
        let text = fs::read(self.record_path(key)).ok()?;
        let record: Record = serde_json::from_slice(&text).ok()?;
        if self.blobs().is_intact(&record.blob) {
            return Some(record.blob);
        }
        tracing::warn!(name = record.name, digest = %record.blob.digest, "cached result is damaged or gone; it is made again");
        None
    }

    pub(crate) fn record(&self, key: &Digest, name: &str, blob: &Descriptor) -> Result<(), CacheError> {
        let record = Record {
            name: name.to_owned(),
            blob: blob.clone(),
        };
        let text = serde_json::to_vec_pretty(&record).unwrap_or_default();
        self.blobs().replace(&self.record_path(key), &text)
    }

    fn record_path(&self, key: &Digest) -> std::path::PathBuf {
        self.root().join("recipes").join(format!("{}.json", key.hex()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_recalled_only_while_its_blob_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let key = Digest::of("recipe");
        assert_eq!(cache.recall(&key), None);

        let blob = cache.blobs().put_bytes(b"binary").unwrap();
        cache.record(&key, "kubectl", &blob).unwrap();
        assert_eq!(cache.recall(&key), Some(blob.clone()));

        fs::remove_file(cache.blob_path(&blob.digest)).unwrap();
        fs::write(cache.blob_path(&blob.digest), "binarY").unwrap();
        assert_eq!(cache.recall(&key), None);
    }

    #[test]
    fn a_truncated_record_is_as_good_as_none() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        let key = Digest::of("recipe");
        fs::write(cache.record_path(&key), "{\"name\":\"kube").unwrap();
        assert_eq!(cache.recall(&key), None);
    }
}
