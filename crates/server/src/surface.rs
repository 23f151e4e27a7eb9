//! What the routes need of the platform, but for lists, which are read from its books (`app::Lists`). Input is parsed before it gets here; output is the domain's own types.

use std::path::Path;

pub use app::{
    identity::{ApiServing, Certificates, Level, Progress, Trust},
    ops::{
        Called, Census, Change, ClusterDetail, Impact, InForce, NetworkApplied, PlanPreview, PlannedStep,
        SshPass,
    },
    quota::Usage,
};
use async_trait::async_trait;
use cluster::ssh::PublicKey;
use futures::stream::BoxStream;
use types::{
    Cidr, Fault, OperationId, OrgId, Patch, Principal, ProjectId, Secret,
    cluster::{Cluster, ClusterSpec},
    grant::Granted,
    kubeconfig::CertificateKind,
    machine::Machine,
    network::Network,
    operation::Operation,
};

/// A `reference` is a name or an id.
/// What is not in the project is not found, whether or not it is in another.
#[async_trait]
pub trait Surface: Send + Sync {
    async fn create_network(
        &self,
        project: &ProjectId,
        called: Called,
        cidr: Cidr,
    ) -> Result<(Network, Operation), Fault>;
    /// Creates what is not there, and gives what is there its labels.
    async fn apply_network(
        &self,
        project: &ProjectId,
        called: Called,
        cidr: Cidr,
    ) -> Result<NetworkApplied, Fault>;
    async fn get_network(&self, project: &ProjectId, reference: &str) -> Result<Network, Fault>;
    async fn delete_network(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault>;

    async fn create_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Operation), Fault>;
    /// Creates what is not there; no operation when there is nothing to change.
    async fn apply_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Option<Operation>), Fault>;
    /// Changes nothing.
    async fn plan_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<PlanPreview, Fault>;
    async fn get_cluster(&self, project: &ProjectId, reference: &str) -> Result<ClusterDetail, Fault>;
    async fn delete_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault>;
    /// Takes up a creation that failed or was cancelled.
    async fn retry_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault>;
    /// The namespace it begins in is the project's, unless another is given.
    async fn kubeconfig(
        &self,
        project: &ProjectId,
        reference: &str,
        namespace: Option<&str>,
    ) -> Result<Secret, Fault>;
    /// Of each in turn, how far the cluster has come with it. A cluster that can keep no grants is a fault.
    async fn in_force(
        &self,
        project: &ProjectId,
        reference: &str,
        granted: &[Granted],
    ) -> Result<Vec<InForce>, Fault>;
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

    async fn get_instance(&self, project: &ProjectId, reference: &str) -> Result<Machine, Fault>;
    /// A certificate over this key, for the caller, and the way there.
    async fn ssh(
        &self,
        caller: &Principal,
        project: &ProjectId,
        reference: &str,
        public: &PublicKey,
    ) -> Result<SshPass, Fault>;

    async fn get_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault>;
    /// Stops the creation of a cluster.
    async fn cancel_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault>;
    /// The operation as it is now, then at every change. May end early; whoever watches then asks again.
    async fn watch_operation(
        &self,
        project: &ProjectId,
        id: &OperationId,
    ) -> Result<BoxStream<'static, Operation>, Fault>;

    /// What a project has of what a quota counts.
    async fn usage(&self, project: &ProjectId) -> Result<Usage, Fault>;
    /// The same of all projects of an organisation.
    async fn org_usage(&self, org: &OrgId) -> Result<Usage, Fault>;

    /// Every certificate the platform keeps.
    async fn certificates(&self) -> Result<Certificates, Fault>;
    async fn rotate_certificates(&self, level: Level, force: bool) -> Result<Progress, Fault>;
    /// What the API is served with over TLS, good for a while.
    async fn api_serving(&self) -> Result<Option<ApiServing>, Fault>;
    /// What certificates of the platform's own services are checked by.
    async fn trust(&self) -> Result<Trust, Fault>;

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
