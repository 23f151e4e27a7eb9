//! Images a tenant loaded for one cluster. Served to its nodes by the network's registry, those that join later too.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use types::{ClusterId, Fault};

#[async_trait]
pub trait Images: Send + Sync {
    /// Where a cluster's images are, for the registry; whether or not there are any.
    fn directory(&self, cluster: &ClusterId) -> PathBuf;

    /// Takes in an OCI or docker archive whole, or not at all. Returns the names of its images.
    async fn load(&self, cluster: &ClusterId, archive: &Path) -> Result<Vec<String>, Fault>;

    /// The names of all that is loaded, in order.
    async fn list(&self, cluster: &ClusterId) -> Result<Vec<String>, Fault>;

    async fn forget(&self, cluster: &ClusterId) -> Result<(), Fault>;
}
