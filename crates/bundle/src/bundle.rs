//! A bundle in the cache, and how to find one: by version (the current one) or by digest (the one a cluster is pinned to).

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::cache::{Cache, CacheError, io_error};
use crate::manifest::{Image, Manifest};
use crate::{Digest, catalogue};

/// Tree of a worker or kubeadm node.
pub(crate) const NODE: &str = "node";
/// Tree of a hosted control plane.
pub(crate) const CONTROL_PLANE: &str = "control-plane";
/// Tree of all binaries, for the host.
pub(crate) const BIN: &str = "bin";

/// Content of `refs/<version>.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Ref {
    digest: Digest,
    /// Seconds since 1970; when the bundle was finished or imported here.
    added: u64,
}

/// One line of `cloud bundle list`.
#[derive(Clone, Debug, Serialize)]
pub struct BundleInfo {
    pub version: String,
    pub line: String,
    pub digest: Digest,
    /// Bytes of all its blobs; bundles share blobs.
    pub size: u64,
    pub images: usize,
    pub components: usize,
    /// Seconds since 1970.
    pub added: u64,
}

/// A complete bundle.
#[derive(Clone, Debug)]
pub struct Bundle {
    cache: Cache,
    manifest: Manifest,
    digest: Digest,
}

impl Cache {
    /// The current bundle of every release that is here.
    pub fn list(&self) -> Result<Vec<BundleInfo>, CacheError> {
        let refs = self.root().join("refs");
        let mut infos = Vec::new();
        for entry in fs::read_dir(&refs).map_err(io_error("list", &refs))? {
            let path = entry.map_err(io_error("list", &refs))?.path();
            let Some(version) = path.file_stem().and_then(|s| s.to_str()) else {
                continue;
            };
            let Some((bundle, added)) = self.by_ref(version)? else {
                continue;
            };
            let Manifest {
                version,
                line,
                images,
                components,
                ..
            } = &bundle.manifest;
            infos.push(BundleInfo {
                version: version.clone(),
                line: line.clone(),
                digest: bundle.digest.clone(),
                size: bundle.manifest.size(),
                images: images.len(),
                components: components.len(),
                added,
            });
        }
        infos.sort_by_key(|info| version_key(&info.version));
        Ok(infos)
    }

    /// The current bundle of `v1.36`, `1.36`, `v1.36.4` or `1.36.4`, if it is here.
    pub fn resolve(&self, version: &str) -> Result<Option<Bundle>, CacheError> {
        let exact = match catalogue::resolve(version) {
            Ok(line) => line.patch,
            // A bundle may have been imported that this program's catalogue does not know.
            Err(_) => format!("v{}", version.trim().trim_start_matches('v')),
        };
        let plain = exact
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+'));
        if !plain {
            return Ok(None);
        }
        Ok(self.by_ref(&exact)?.map(|(bundle, _)| bundle))
    }

    /// The bundle a cluster is pinned to, current or not.
    pub fn bundle(&self, digest: &Digest) -> Result<Option<Bundle>, CacheError> {
        let path = self.blob_path(digest);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(io_error("read", &path)(e)),
        };
        let corrupt = |found| CacheError::Corrupt {
            path: path.clone(),
            found,
        };
        if Digest::of(&bytes) != *digest {
            return Err(corrupt("its digest differs".into()));
        }
        let manifest = Manifest::parse(&bytes).map_err(corrupt)?;
        Ok(Some(Bundle {
            cache: self.clone(),
            manifest,
            digest: digest.clone(),
        }))
    }

    fn by_ref(&self, version: &str) -> Result<Option<(Bundle, u64)>, CacheError> {
        let path = self.ref_path(version);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(io_error("read", &path)(e)),
        };
        let found: Ref = serde_json::from_slice(&text).map_err(|e| CacheError::Corrupt {
            path: path.clone(),
            found: e.to_string(),
        })?;
        match self.bundle(&found.digest)? {
            Some(bundle) => Ok(Some((bundle, found.added))),
            None => Err(CacheError::Corrupt {
                path,
                found: format!("bundle {} is gone", found.digest),
            }),
        }
    }

    /// Stores the manifest, unpacks the trees and makes the bundle current. All its blobs must be here.
    pub(crate) fn publish(&self, manifest: Manifest) -> Result<Bundle, CacheError> {
        if let Some(missing) = manifest.blobs().into_iter().find(|b| !self.blobs().has(b)) {
            let path = self.blob_path(&missing.digest);
            return Err(CacheError::Corrupt {
                path,
                found: "it is missing or has another size".into(),
            });
        }
        for tree in manifest.trees.values() {
            tree.unpack(self)?;
        }
        let blob = self.blobs().put_bytes(&manifest.to_bytes())?;
        let bundle = Bundle {
            cache: self.clone(),
            manifest,
            digest: blob.digest,
        };
        let version = &bundle.manifest.version;
        let unchanged = matches!(self.by_ref(version), Ok(Some((old, _))) if old.digest == bundle.digest);
        if !unchanged {
            let added = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |d| d.as_secs());
            let text = serde_json::to_vec_pretty(&Ref {
                digest: bundle.digest.clone(),
                added,
            })
            .unwrap_or_default();
            self.blobs().replace(&self.ref_path(version), &text)?;
        }
        Ok(bundle)
    }
}

impl Bundle {
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// `v1.36.4`
    pub fn version(&self) -> &str {
        &self.manifest.version
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Directory with every binary of the bundle, fit for `PATH`. The CNI plugins are in [`Bundle::cni_dir`].
    pub fn bin_dir(&self) -> PathBuf {
        self.tree(BIN).join("bin")
    }

    /// Directory with the CNI plugins.
    pub fn cni_dir(&self) -> PathBuf {
        self.tree(BIN).join("cni")
    }

    /// Path of a binary by name (`kubectl`, `helm`, `bridge`, …).
    pub fn bin(&self, name: &str) -> Option<PathBuf> {
        self.manifest.components.get(name)?;
        [self.bin_dir(), self.cni_dir()]
            .into_iter()
            .map(|dir| dir.join(name))
            .find(|path| path.is_file())
    }

    /// Root of a node, to be used as the lower directory of an overlay and never written.
    pub fn node_tree(&self) -> PathBuf {
        self.tree(NODE)
    }

    /// Root of a hosted control plane, without an init system.
    pub fn control_plane_tree(&self) -> PathBuf {
        self.tree(CONTROL_PLANE)
    }

    /// Digest of the node image a cluster is pinned to.
    pub fn node_image_digest(&self) -> Option<Digest> {
        self.manifest.trees.get(NODE).map(|tree| tree.digest())
    }

    /// Images by full name.
    pub fn images(&self) -> &BTreeMap<String, Image> {
        &self.manifest.images
    }

    /// Upstream version of each binary.
    pub fn versions(&self) -> BTreeMap<&str, &str> {
        self.manifest
            .components
            .iter()
            .map(|(name, c)| (name.as_str(), c.version.as_str()))
            .collect()
    }

    fn tree(&self, name: &str) -> PathBuf {
        // A manifest without the tree gives a path that does not exist, which every use reports with the path in it.
        match self.manifest.trees.get(name) {
            Some(tree) => self.cache.tree_path(&tree.digest()),
            None => self.cache.root().join("trees").join(format!("no-{name}-tree")),
        }
    }
}

fn version_key(version: &str) -> Vec<u64> {
    version
        .trim_start_matches('v')
        .split(['.', '-'])
        .map(|part| part.parse().unwrap_or(0))
        .collect()
}
