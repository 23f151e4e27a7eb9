//! Shared clusters through the client.

use super::{Client, ClientError};
use crate::{
    routes::{self, Method},
    share::{ClusterShareCreate, ClusterShareView, SharedClusterList},
};

impl Client {
    pub async fn share_cluster(
        &self,
        cluster: &str,
        request: &ClusterShareCreate,
    ) -> Result<ClusterShareView, ClientError> {
        let path = self.path(routes::CLUSTER_SHARES, &[("reference", cluster)]);
        self.send(Method::Post, &path, request).await
    }

    pub async fn unshare_cluster(&self, cluster: &str, with: &str) -> Result<ClusterShareView, ClientError> {
        let values = [("reference", cluster), ("with", with)];
        self.delete(&self.path(routes::CLUSTER_SHARE, &values)).await
    }

    pub async fn list_shared_clusters(&self) -> Result<SharedClusterList, ClientError> {
        self.get(&self.path(routes::SHARED_CLUSTERS, &[])).await
    }
}
