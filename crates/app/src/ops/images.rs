//! Images a tenant loads for a cluster.

use std::path::Path;

use types::{Fault, ProjectId};

use super::Ops;
use crate::records;

impl Ops {
    pub async fn load_images(
        &self,
        project: &ProjectId,
        reference: &str,
        archive: &Path,
    ) -> Result<Vec<String>, Fault> {
        let cluster = records::find_own(&*self.world.store, project, reference)
            .await?
            .value;
        if cluster.deleting {
            return Err(Fault::conflict(
                "cluster-deleting",
                format!("the cluster '{}' is being deleted", cluster.name),
                "load the image into another cluster",
            ));
        }
        self.world.images.load(&cluster.id, archive).await
    }

    pub async fn list_images(&self, project: &ProjectId, reference: &str) -> Result<Vec<String>, Fault> {
        let cluster = records::find_own(&*self.world.store, project, reference)
            .await?
            .value;
        self.world.images.list(&cluster.id).await
    }

    pub async fn list_bundles(&self) -> Result<Vec<ports::bundles::BundleRef>, Fault> {
        self.world.bundles.list().await
    }
}
