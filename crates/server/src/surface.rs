//! What the routes need of the platform. Input is parsed before it gets here; output is the domain's own types.

use std::path::Path;

pub use app::ops::{Census, Change, ClusterDetail, Impact, PlanPreview, PlannedStep};
use async_trait::async_trait;
use futures::stream::BoxStream;
use types::{
    Cidr, Fault, Name, OperationId, Patch, ProjectId, Secret,
    cluster::{Cluster, ClusterSpec},
    machine::Machine,
    network::Network,
    operation::{Event, Operation},
};

/// A project is given by name or id (`default` exists from the start), a `reference` is a name or an id.
/// What is not in the project is not found, whether or not it is in another.
#[async_trait]
pub trait Surface: Send + Sync {
    /// Of a project that is there.
    async fn project_id(&self, project: &str) -> Result<ProjectId, Fault>;

    async fn create_network(
        &self,
        project: &str,
        name: Name,
        cidr: Cidr,
    ) -> Result<(Network, Operation), Fault>;
    async fn list_networks(&self, project: &str) -> Result<Vec<Network>, Fault>;
    async fn get_network(&self, project: &str, reference: &str) -> Result<Network, Fault>;
    async fn delete_network(&self, project: &str, reference: &str) -> Result<Operation, Fault>;

    async fn create_cluster(
        &self,
        project: &str,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Operation), Fault>;
    /// Creates what is not there; no operation when there is nothing to change.
    async fn apply_cluster(
        &self,
        project: &str,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Option<Operation>), Fault>;
    /// Changes nothing.
    async fn plan_cluster(&self, project: &str, name: Name, spec: ClusterSpec) -> Result<PlanPreview, Fault>;
    async fn list_clusters(&self, project: &str) -> Result<Vec<Cluster>, Fault>;
    async fn get_cluster(&self, project: &str, reference: &str) -> Result<ClusterDetail, Fault>;
    async fn delete_cluster(&self, project: &str, reference: &str) -> Result<Operation, Fault>;
    /// Takes up a creation that failed or was cancelled.
    async fn retry_cluster(&self, project: &str, reference: &str) -> Result<Operation, Fault>;
    async fn kubeconfig(&self, project: &str, reference: &str) -> Result<Secret, Fault>;
    /// The archive is a temporary file that is gone after the call. Returns the names of the images in it.
    async fn load_images(&self, project: &str, reference: &str, archive: &Path)
    -> Result<Vec<String>, Fault>;
    async fn list_images(&self, project: &str, reference: &str) -> Result<Vec<String>, Fault>;

    /// Only machines the tenant may see.
    async fn list_instances(&self, project: &str) -> Result<Vec<Machine>, Fault>;
    async fn get_instance(&self, project: &str, reference: &str) -> Result<Machine, Fault>;

    /// Newest first.
    async fn list_operations(&self, project: &str) -> Result<Vec<Operation>, Fault>;
    async fn get_operation(&self, project: &str, id: &OperationId) -> Result<Operation, Fault>;
    /// Stops the creation of a cluster.
    async fn cancel_operation(&self, project: &str, id: &OperationId) -> Result<Operation, Fault>;
    /// The operation as it is now, then at every change. May end early; whoever watches then asks again.
    async fn watch_operation(
        &self,
        project: &str,
        id: &OperationId,
    ) -> Result<BoxStream<'static, Operation>, Fault>;

    /// Newest first; `subject` is a reference to a cluster or network, which may be gone already.
    async fn list_events(
        &self,
        project: &str,
        subject: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Event>, Fault>;

    async fn list_bundles(&self) -> Result<Vec<BundleSummary>, Fault>;

    /// Figures for `/metrics`, over all projects.
    async fn census(&self) -> Result<Census, Fault>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleSummary {
    pub version: Patch,
    pub digest: String,
    pub node_image: String,
}
