//! Clusters through the client.

use std::path::Path;

use tokio::fs::File;
use types::Secret;

use super::{Client, ClientError, Condition, Pages, Select, Tag, Watch, connection::Payload};
use crate::{
    cluster::{
        ClusterAccepted, ClusterApply, ClusterCreate, ClusterDetailView, ClusterList, ClusterView,
        CredentialsRequest, ImageList,
    },
    operation::OperationAccepted,
    plan::{PlanRequest, PlanView},
    routes::{self, Method},
};

impl Client {
    pub fn clusters(&self, select: &Select) -> Pages<ClusterList> {
        self.pages(routes::CLUSTERS, select.parameters())
    }

    pub async fn watch_clusters(
        &self,
        select: &Select,
        resume: Option<String>,
    ) -> Result<Watch<ClusterView>, ClientError> {
        self.watch(routes::CLUSTERS, select, resume).await
    }

    pub async fn get_cluster(&self, reference: &str) -> Result<ClusterDetailView, ClientError> {
        self.get(&self.path(routes::CLUSTER, &[("reference", reference)]))
            .await
    }

    pub async fn create_cluster(&self, request: &ClusterCreate) -> Result<ClusterAccepted, ClientError> {
        self.make(&self.path(routes::CLUSTERS, &[]), Some(request)).await
    }

    pub async fn apply_cluster(
        &self,
        name: &str,
        request: &ClusterApply,
    ) -> Result<ClusterAccepted, ClientError> {
        self.send(
            Method::Put,
            &self.path(routes::CLUSTER, &[("reference", name)]),
            request,
        )
        .await
    }

    /// What a cluster is now; nothing when there is none.
    pub async fn cluster_tag(&self, reference: &str) -> Result<Option<Tag>, ClientError> {
        let path = self.path(routes::CLUSTER, &[("reference", reference)]);
        match self.read::<ClusterDetailView>(&path).await {
            Ok((_, tag)) => Ok(Some(tag)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub async fn apply_cluster_if(
        &self,
        name: &str,
        request: &ClusterApply,
        condition: &Condition,
    ) -> Result<ClusterAccepted, ClientError> {
        let path = self.path(routes::CLUSTER, &[("reference", name)]);
        self.put_if(&path, request, condition).await
    }

    pub async fn plan_cluster(&self, request: &PlanRequest) -> Result<PlanView, ClientError> {
        self.send(Method::Post, &self.path(routes::CLUSTERS_PLAN, &[]), request)
            .await
    }

    pub async fn delete_cluster(&self, reference: &str) -> Result<OperationAccepted, ClientError> {
        self.delete(&self.path(routes::CLUSTER, &[("reference", reference)]))
            .await
    }

    pub async fn retry_cluster(&self, reference: &str) -> Result<OperationAccepted, ClientError> {
        let path = self.path(routes::CLUSTER_RETRY, &[("reference", reference)]);
        self.make(&path, None::<&()>).await
    }

    pub async fn kubeconfig(&self, reference: &str) -> Result<Secret, ClientError> {
        let path = self.path(routes::CLUSTER_KUBECONFIG, &[("reference", reference)]);
        Ok(Secret::new(
            self.connection
                .bytes(Method::Get, &path, Payload::Empty)
                .await?
                .to_vec(),
        ))
    }

    /// An administrator's, with a certificate of the caller's own.
    pub async fn credentials(&self, reference: &str, kind: &str) -> Result<Secret, ClientError> {
        let path = self.path(routes::CLUSTER_CREDENTIALS, &[("reference", reference)]);
        let request = CredentialsRequest {
            kind: kind.to_owned(),
        };
        let payload = Payload::Json(serde_json::to_vec(&request).expect("plain data"));
        let body = self.connection.bytes(Method::Post, &path, payload).await?;
        Ok(Secret::new(body.to_vec()))
    }

    pub async fn list_images(&self, reference: &str) -> Result<ImageList, ClientError> {
        self.get(&self.path(routes::CLUSTER_IMAGES, &[("reference", reference)]))
            .await
    }

    pub async fn load_images(&self, reference: &str, archive: &Path) -> Result<ImageList, ClientError> {
        let file = File::open(archive).await.map_err(ClientError::File)?;
        let path = self.path(routes::CLUSTER_IMAGES, &[("reference", reference)]);
        self.connection
            .json(Method::Post, &path, Payload::Archive(file))
            .await
    }
}
