//! The manifest of a bundle: everything it consists of, by digest. The digest of the manifest is the digest of the bundle.
//! It holds no time and no path, so that the same parts give the same digest anywhere.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Digest;
use crate::cache::Descriptor;
use crate::tree::TreeSpec;

/// Format of the manifest; a reader refuses a newer one.
pub(crate) const SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub schema: u32,
    /// `v1.36.4`
    pub version: String,
    /// `v1.36`
    pub line: String,
    /// `amd64`, `arm64`
    pub arch: String,
    /// Revision of how this crate puts a bundle together.
    pub recipe_revision: u32,
    /// Binaries by name.
    pub components: BTreeMap<String, Component>,
    /// Images by full name, `registry.k8s.io/pause:3.10.2`.
    pub images: BTreeMap<String, Image>,
    /// Unpacked roots by name: `node`, `control-plane`, `bin`.
    pub trees: BTreeMap<String, TreeSpec>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Component {
    /// Upstream version without `v`.
    pub version: String,
    pub blob: Descriptor,
}

/// An OCI image, its parts listed so that nothing has to be parsed to know what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    pub manifest: Descriptor,
    pub config: Descriptor,
    pub layers: Vec<Descriptor>,
}

impl Image {
    pub(crate) fn blobs(&self) -> impl Iterator<Item = &Descriptor> {
        [&self.manifest, &self.config].into_iter().chain(&self.layers)
    }
}

impl Manifest {
    /// The bytes that are stored and hashed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The bundle digest.
    pub fn digest(&self) -> Digest {
        Digest::of(self.to_bytes())
    }

    /// Every blob of the bundle except the manifest itself.
    pub fn blobs(&self) -> BTreeSet<&Descriptor> {
        let components = self.components.values().map(|c| &c.blob);
        let images = self.images.values().flat_map(Image::blobs);
        let trees = self.trees.values().flat_map(TreeSpec::blobs);
        components.chain(images).chain(trees).collect()
    }

    /// Sum of its blobs.
    pub fn size(&self) -> u64 {
        self.blobs().iter().map(|b| b.size).sum()
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let manifest: Self = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        if manifest.schema != SCHEMA {
            return Err(format!("schema {} is not the known {SCHEMA}", manifest.schema));
        }
        let path_like = |name: &str| name.is_empty() || name.contains('/') || name.starts_with('.');
        if path_like(&manifest.version) {
            return Err(format!("version {:?}", manifest.version));
        }
        manifest.trees.values().try_for_each(TreeSpec::check_paths)?;
        Ok(manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let blob = |text: &str| Descriptor {
            digest: Digest::of(text),
            size: text.len() as u64,
        };
        let component = Component {
            version: "1.36.4".into(),
            blob: blob("kubectl"),
        };
        Manifest {
            schema: SCHEMA,
            version: "v1.36.4".into(),
            line: "v1.36".into(),
            arch: "amd64".into(),
            recipe_revision: 1,
            components: [("kubectl".into(), component)].into(),
            images: [(
                "registry.k8s.io/pause:3.10.2".into(),
                Image {
                    manifest: blob("m"),
                    config: blob("c"),
                    layers: vec![blob("l")],
                },
            )]
            .into(),
            trees: BTreeMap::new(),
        }
    }

    #[test]
    fn the_digest_depends_on_content_alone() {
        let manifest = manifest();
        assert_eq!(
            manifest.digest().to_string(),
            "sha256:6a9d70f6b32d5fbae8e80135e01d36a5c0984996893e3d993b105770fced11b7",
            "the digest of a given manifest must never change: clusters are pinned to it"
        );
        let reread = Manifest::parse(&manifest.to_bytes()).unwrap();
        assert_eq!(reread.digest(), manifest.digest());
        let mut other = manifest.clone();
        other.recipe_revision += 1;
        assert_ne!(other.digest(), manifest.digest());
    }

    #[test]
    fn lists_every_blob_once() {
        let sizes: Vec<_> = manifest().blobs().into_iter().map(|b| b.size).collect();
        assert_eq!(sizes.iter().sum::<u64>(), manifest().size());
        assert_eq!(sizes.len(), 4);
    }

    #[test]
    fn refuses_what_it_does_not_understand() {
        let mut newer = manifest();
        newer.schema = 99;
        assert!(Manifest::parse(&newer.to_bytes()).unwrap_err().contains("schema"));
        let mut hostile = manifest();
        hostile.version = "../../etc/x".into();
        assert!(Manifest::parse(&hostile.to_bytes()).is_err());
        assert!(Manifest::parse(b"{").is_err());
    }
}
