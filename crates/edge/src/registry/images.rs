//! Where a client's images are: what its tenant loaded, then its cluster's bundle. Bundles are read once and kept; a
//! tenant's directory is read at each request, so that an image is there as soon as it is loaded.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use bundle::{Cache, Digest, ImageStore, Registry};
use ports::edge::RegistryClient;

use crate::metrics::Metrics;

pub(crate) struct Images {
    pub(super) metrics: Arc<Metrics>,
    cache: Mutex<PathBuf>,
    bundles: Mutex<HashMap<String, Arc<Registry>>>,
}

impl Images {
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            metrics,
            cache: Mutex::default(),
            bundles: Mutex::default(),
        }
    }

    /// Sets where the bundles are, and lets go of those that nobody uses any more.
    pub(crate) fn configure(&self, cache: &PathBuf, used: impl Fn(&str) -> bool) {
        let mut root = self.cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut bundles = self
            .bundles
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if *root != *cache {
            bundles.clear();
            root.clone_from(cache);
        }
        bundles.retain(|digest, _| used(digest));
    }

    /// What a client may see, in the order it is asked. Blocks.
    pub(super) fn of(&self, client: &RegistryClient) -> Result<Vec<Arc<Registry>>, bundle::Error> {
        let mut sources = Vec::new();
        // Looked at, never made: a deleted cluster's directory must not come back.
        if client.images.is_dir() {
            sources.push(Arc::new(Registry::new(
                vec![ImageStore::open(&client.images)?],
                &[],
            )));
        }
        sources.extend(self.bundle(&client.bundle)?);
        Ok(sources)
    }

    fn bundle(&self, digest: &str) -> Result<Option<Arc<Registry>>, bundle::Error> {
        let known = self
            .bundles
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .get(digest)
            .cloned();
        if known.is_some() {
            return Ok(known);
        }
        let root = self
            .cache
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone();
        let Ok(parsed) = digest.parse::<Digest>() else {
            return Ok(None);
        };
        if !root.is_dir() {
            return Ok(None);
        }
        let Some(bundle) = Cache::open(root)?.bundle(&parsed)? else {
            return Ok(None);
        };
        let registry = Arc::new(Registry::new(Vec::new(), &[bundle]));
        let mut bundles = self
            .bundles
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        Ok(Some(bundles.entry(digest.to_owned()).or_insert(registry).clone()))
    }
}
