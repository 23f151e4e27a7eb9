//! The operations of `app`, behind the routes.

use std::path::Path;

use app::Ops;
use async_trait::async_trait;
use futures::stream::BoxStream;
use types::{
    Cidr, Fault, Name, OperationId, OrgId, Principal, ProjectId, Secret,
    cluster::{Cluster, ClusterSpec},
    kubeconfig::CertificateKind,
    machine::Machine,
    network::Network,
    operation::{Event, Operation},
};

use crate::surface::{BundleSummary, Census, ClusterDetail, PlanPreview, Surface, Usage};

pub struct OpsSurface(pub Ops);

#[async_trait]
impl Surface for OpsSurface {
    async fn create_network(
        &self,
        project: &ProjectId,
        name: Name,
        cidr: Cidr,
    ) -> Result<(Network, Operation), Fault> {
        self.0.create_network(project, name, cidr).await
    }

    async fn list_networks(&self, project: &ProjectId) -> Result<Vec<Network>, Fault> {
        self.0.list_networks(project).await
    }

    async fn get_network(&self, project: &ProjectId, reference: &str) -> Result<Network, Fault> {
        self.0.get_network(project, reference).await
    }

    async fn delete_network(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault> {
        self.0.delete_network(project, reference).await
    }

    async fn create_cluster(
        &self,
        project: &ProjectId,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Operation), Fault> {
        self.0.create_cluster(project, name, spec).await
    }

    async fn apply_cluster(
        &self,
        project: &ProjectId,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Option<Operation>), Fault> {
        self.0.apply_cluster(project, name, spec).await
    }

    async fn plan_cluster(
        &self,
        project: &ProjectId,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<PlanPreview, Fault> {
        self.0.plan_cluster(project, name, spec).await
    }

    async fn list_clusters(&self, project: &ProjectId) -> Result<Vec<Cluster>, Fault> {
        self.0.list_clusters(project).await
    }

    async fn get_cluster(&self, project: &ProjectId, reference: &str) -> Result<ClusterDetail, Fault> {
        self.0.get_cluster(project, reference).await
    }

    async fn delete_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault> {
        self.0.delete_cluster(project, reference).await
    }

    async fn retry_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault> {
        self.0.retry_cluster(project, reference).await
    }

    async fn kubeconfig(&self, project: &ProjectId, reference: &str) -> Result<Secret, Fault> {
        self.0.kubeconfig(project, reference).await
    }

    async fn administrator(
        &self,
        caller: &Principal,
        project: &ProjectId,
        reference: &str,
        kind: CertificateKind,
    ) -> Result<Secret, Fault> {
        self.0.administrator(caller, project, reference, kind).await
    }

    async fn load_images(
        &self,
        project: &ProjectId,
        reference: &str,
        archive: &Path,
    ) -> Result<Vec<String>, Fault> {
        self.0.load_images(project, reference, archive).await
    }

    async fn list_images(&self, project: &ProjectId, reference: &str) -> Result<Vec<String>, Fault> {
        self.0.list_images(project, reference).await
    }

    async fn list_instances(&self, project: &ProjectId) -> Result<Vec<Machine>, Fault> {
        self.0.list_instances(project).await
    }

    async fn get_instance(&self, project: &ProjectId, reference: &str) -> Result<Machine, Fault> {
        self.0.get_instance(project, reference).await
    }

    async fn list_operations(&self, project: &ProjectId) -> Result<Vec<Operation>, Fault> {
        self.0.list_operations(project).await
    }

    async fn get_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault> {
        self.0.get_operation(project, id).await
    }

    async fn cancel_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault> {
        self.0.cancel_operation(project, id).await
    }

    async fn watch_operation(
        &self,
        project: &ProjectId,
        id: &OperationId,
    ) -> Result<BoxStream<'static, Operation>, Fault> {
        self.0.watch_operation(project, id).await
    }

    async fn list_events(
        &self,
        project: &ProjectId,
        subject: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Event>, Fault> {
        self.0.list_events(project, subject, limit).await
    }

    async fn usage(&self, project: &ProjectId) -> Result<Usage, Fault> {
        self.0.usage(project).await
    }

    async fn org_usage(&self, org: &OrgId) -> Result<Usage, Fault> {
        self.0.org_usage(org).await
    }

    async fn list_bundles(&self) -> Result<Vec<BundleSummary>, Fault> {
        let bundles = self.0.list_bundles().await?;
        let summary = |b: ports::bundles::BundleRef| BundleSummary {
            version: b.version,
            digest: b.digest,
            node_image: b.node_image,
        };
        Ok(bundles.into_iter().map(summary).collect())
    }

    async fn census(&self) -> Result<Census, Fault> {
        self.0.census().await
    }
}
