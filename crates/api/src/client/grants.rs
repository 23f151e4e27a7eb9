//! Rights in one cluster through the client.

use super::{Client, ClientError};
use crate::{
    grant::{ClusterGrantCreate, ClusterGrantList, ClusterGrantRevoke, ClusterGrantView, GrantedClusterList},
    routes::{self, Method},
};

impl Client {
    pub async fn grant(
        &self,
        cluster: &str,
        request: &ClusterGrantCreate,
    ) -> Result<ClusterGrantView, ClientError> {
        let path = self.path(routes::CLUSTER_GRANTS, &[("reference", cluster)]);
        self.send(Method::Post, &path, request).await
    }

    pub async fn list_grants(&self, cluster: &str) -> Result<ClusterGrantList, ClientError> {
        self.get(&self.path(routes::CLUSTER_GRANTS, &[("reference", cluster)]))
            .await
    }

    /// What was taken.
    pub async fn revoke_grants(
        &self,
        cluster: &str,
        request: &ClusterGrantRevoke,
    ) -> Result<ClusterGrantList, ClientError> {
        let path = self.path(routes::CLUSTER_GRANTS_REVOKE, &[("reference", cluster)]);
        self.send(Method::Post, &path, request).await
    }

    pub async fn list_granted_clusters(&self) -> Result<GrantedClusterList, ClientError> {
        self.get(routes::GRANTED_CLUSTERS).await
    }
}
