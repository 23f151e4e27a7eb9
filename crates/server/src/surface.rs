//! What the routes need of the platform. Input is parsed before it gets here; output is the domain's own types.

use std::path::Path;

pub use app::{
    ops::{Census, Change, ClusterDetail, Impact, PlanPreview, PlannedStep},
    quota::Usage,
};
use async_trait::async_trait;
use futures::stream::BoxStream;
use types::{
    Cidr, Fault, Name, OperationId, OrgId, Patch, Principal, ProjectId, Secret,
    cluster::{Cluster, ClusterSpec},
    kubeconfig::CertificateKind,
    machine::Machine,
    network::Network,
    operation::{Event, Operation},
};

/// A `reference` is a name or an id.
/// What is not in the project is not found, whether or not it is in another.
#[async_trait]
pub trait Surface: Send + Sync {
    async fn create_network(
        &self,
        project: &ProjectId,
        name: Name,
        cidr: Cidr,
    ) -> Result<(Network, Operation), Fault>;
    async fn list_networks(&self, project: &ProjectId) -> Result<Vec<Network>, Fault>;
    async fn get_network(&self, project: &ProjectId, reference: &str) -> Result<Network, Fault>;
    async fn delete_network(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault>;

    async fn create_cluster(
        &self,
        project: &ProjectId,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Operation), Fault>;
    /// Creates what is not there; no operation when there is nothing to change.
    async fn apply_cluster(
        &self,
        project: &ProjectId,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Option<Operation>), Fault>;
    /// Changes nothing.
    async fn plan_cluster(
        &self,
        project: &ProjectId,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<PlanPreview, Fault>;
    async fn list_clusters(&self, project: &ProjectId) -> Result<Vec<Cluster>, Fault>;
    async fn get_cluster(&self, project: &ProjectId, reference: &str) -> Result<ClusterDetail, Fault>;
    async fn delete_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault>;
    /// Takes up a creation that failed or was cancelled.
    async fn retry_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault>;
    async fn kubeconfig(&self, project: &ProjectId, reference: &str) -> Result<Secret, Fault>;
    /// With a certificate of the caller's own.
    async fn administrator(
        &self,
        caller: &Principal,
        project: &ProjectId,
        reference: &str,
        kind: CertificateKind,
    ) -> Result<Secret, Fault>;
    /// The archive is a temporary file that is gone after the call. Returns the names of the images in it.
    async fn load_images(
        &self,
        project: &ProjectId,
        reference: &str,
        archive: &Path,
    ) -> Result<Vec<String>, Fault>;
    async fn list_images(&self, project: &ProjectId, reference: &str) -> Result<Vec<String>, Fault>;

    /// Only machines the tenant may see.
    async fn list_instances(&self, project: &ProjectId) -> Result<Vec<Machine>, Fault>;
    async fn get_instance(&self, project: &ProjectId, reference: &str) -> Result<Machine, Fault>;

    /// Newest first.
    async fn list_operations(&self, project: &ProjectId) -> Result<Vec<Operation>, Fault>;
    async fn get_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault>;
    /// Stops the creation of a cluster.
    async fn cancel_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault>;
    /// The operation as it is now, then at every change. May end early; whoever watches then asks again.
    async fn watch_operation(
        &self,
        project: &ProjectId,
        id: &OperationId,
    ) -> Result<BoxStream<'static, Operation>, Fault>;

    /// Newest first; `subject` is a reference to a cluster or network, which may be gone already.
    async fn list_events(
        &self,
        project: &ProjectId,
        subject: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Event>, Fault>;

    /// What a project has of what a quota counts.
    async fn usage(&self, project: &ProjectId) -> Result<Usage, Fault>;
    /// The same of all projects of an organisation.
    async fn org_usage(&self, org: &OrgId) -> Result<Usage, Fault>;

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
