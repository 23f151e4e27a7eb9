//! Kubernetes releases as this host has them.

use std::path::PathBuf;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::{Fault, Patch, version::Wanted};

/// A bundle that is present whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BundleRef {
    pub version: Patch,
    pub digest: String,
    pub node_image: String,
    pub node_tree: PathBuf,
    pub control_plane_tree: PathBuf,
    /// Names of the images that cluster services use, by component: `coredns`, `pause`.
    pub images: std::collections::BTreeMap<String, String>,
}

#[async_trait]
pub trait Bundles: Send + Sync {
    /// The newest known patch of what is wanted, refused when it is unknown; the answer lists the known lines.
    fn resolve(&self, wanted: Option<Wanted>) -> Result<Patch, Fault>;

    /// The newest bundle of a version on this host, refused with the way to get it when there is none.
    async fn find(&self, version: Patch) -> Result<BundleRef, Fault>;

    /// The very bundle a cluster was pinned to.
    async fn pinned(&self, version: Patch, digest: &str) -> Result<BundleRef, Fault>;

    /// The current bundle of every version on this host.
    async fn list(&self) -> Result<Vec<BundleRef>, Fault>;
}
