//! The fake's answers.

use std::path::Path;

use async_trait::async_trait;
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use types::{
    Cidr, Fault, Name, OperationId, OrgId, Principal, ProjectId, Secret,
    cluster::{Cluster, ClusterSpec},
    kubeconfig::CertificateKind,
    machine::Machine,
    network::Network,
    operation::{Event, Operation, OperationKind, OperationState, SubjectKind},
    status::ClusterPhase,
};

use super::{
    Fake,
    clusters::{known, subject, taken},
    samples,
};
use crate::surface::{BundleSummary, Census, ClusterDetail, PlanPreview, Surface, Usage};

#[async_trait]
impl Surface for Fake {
    async fn create_network(
        &self,
        project: &ProjectId,
        name: Name,
        cidr: Cidr,
    ) -> Result<(Network, Operation), Fault> {
        known(project)?;
        types::network::check_range(cidr).map_err(|fault| fault.at("cidr"))?;
        if self.get_network(project, name.as_str()).await.is_ok() {
            return Err(taken("vpc", &name));
        }
        let network = {
            let mut world = self.world();
            let network = samples::network(world.next(), name.clone(), cidr);
            world.networks.push(network.clone());
            network
        };
        let about = subject(SubjectKind::Network, network.id.as_str());
        Ok((network, self.begin(OperationKind::Create, about, name.as_str())))
    }

    async fn list_networks(&self, project: &ProjectId) -> Result<Vec<Network>, Fault> {
        known(project)?;
        Ok(self.world().networks.clone())
    }

    async fn get_network(&self, project: &ProjectId, reference: &str) -> Result<Network, Fault> {
        known(project)?;
        let world = self.world();
        let found = world
            .networks
            .iter()
            .find(|n| n.id.as_str() == reference || n.name.as_str() == reference);
        found.cloned().ok_or_else(|| Fault::not_found("vpc", reference))
    }

    async fn delete_network(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault> {
        let network = self.get_network(project, reference).await?;
        app::terms::expect(Some(&network))?;
        if let Some(user) = self
            .world()
            .clusters
            .iter()
            .find(|cluster| cluster.network == network.id)
        {
            return Err(Fault::conflict(
                "vpc-in-use",
                format!("cluster '{}' is in it", user.name),
                "delete the cluster first",
            ));
        }
        let about = subject(SubjectKind::Network, network.id.as_str());
        Ok(self.begin(OperationKind::Delete, about, network.name.as_str()))
    }

    async fn create_cluster(
        &self,
        project: &ProjectId,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Operation), Fault> {
        self.make_cluster(project, name, spec).await
    }

    async fn apply_cluster(
        &self,
        project: &ProjectId,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Option<Operation>), Fault> {
        self.change_cluster(project, name, spec).await
    }

    async fn plan_cluster(
        &self,
        project: &ProjectId,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<PlanPreview, Fault> {
        self.preview_cluster(project, name, spec).await
    }

    async fn list_clusters(&self, project: &ProjectId) -> Result<Vec<Cluster>, Fault> {
        known(project)?;
        Ok(self.world().clusters.clone())
    }

    async fn get_cluster(&self, project: &ProjectId, reference: &str) -> Result<ClusterDetail, Fault> {
        let cluster = self.find_cluster(project, reference)?;
        let world = self.world();
        Ok(ClusterDetail {
            machines: world
                .machines
                .iter()
                .filter(|m| m.cluster == cluster.id)
                .cloned()
                .collect(),
            events: world
                .events
                .iter()
                .filter(|e| e.subject.id == cluster.id.as_str())
                .cloned()
                .collect(),
            endpoint: "https://127.0.0.1:6443".to_owned(),
            cluster,
        })
    }

    async fn delete_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault> {
        let cluster = self.find_cluster(project, reference)?;
        app::terms::expect(Some(&cluster))?;
        for stored in self
            .world()
            .clusters
            .iter_mut()
            .filter(|stored| stored.id == cluster.id)
        {
            stored.deleting = true;
        }
        let about = subject(SubjectKind::Cluster, cluster.id.as_str());
        Ok(self.begin(OperationKind::Delete, about, cluster.name.as_str()))
    }

    async fn retry_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault> {
        let cluster = self.find_cluster(project, reference)?;
        let about = subject(SubjectKind::Cluster, cluster.id.as_str());
        Ok(self.begin(OperationKind::Create, about, cluster.name.as_str()))
    }

    async fn kubeconfig(&self, project: &ProjectId, reference: &str) -> Result<Secret, Fault> {
        let name = self.find_cluster(project, reference)?.name;
        Ok(samples::kubeconfig(&name, "iam"))
    }

    async fn administrator(
        &self,
        _: &Principal,
        project: &ProjectId,
        reference: &str,
        kind: CertificateKind,
    ) -> Result<Secret, Fault> {
        let name = self.find_cluster(project, reference)?.name;
        Ok(samples::kubeconfig(&name, kind.as_str()))
    }

    async fn load_images(
        &self,
        project: &ProjectId,
        reference: &str,
        archive: &Path,
    ) -> Result<Vec<String>, Fault> {
        let cluster = self.find_cluster(project, reference)?;
        let size = std::fs::metadata(archive)
            .map_err(|error| Fault::internal("archive", error.to_string()))?
            .len();
        let image = format!("docker.io/library/app:{size}");
        self.world()
            .images
            .entry(cluster.id.to_string())
            .or_default()
            .push(image.clone());
        Ok(vec![image])
    }

    async fn list_images(&self, project: &ProjectId, reference: &str) -> Result<Vec<String>, Fault> {
        let cluster = self.find_cluster(project, reference)?;
        Ok(self
            .world()
            .images
            .get(cluster.id.as_str())
            .cloned()
            .unwrap_or_default())
    }

    async fn list_instances(&self, project: &ProjectId) -> Result<Vec<Machine>, Fault> {
        known(project)?;
        Ok(self.world().machines.clone())
    }

    async fn get_instance(&self, project: &ProjectId, reference: &str) -> Result<Machine, Fault> {
        known(project)?;
        let world = self.world();
        let found = world
            .machines
            .iter()
            .find(|m| m.id.as_str() == reference || m.hostname == reference);
        found
            .cloned()
            .ok_or_else(|| Fault::not_found("instance", reference))
    }

    async fn list_operations(&self, project: &ProjectId) -> Result<Vec<Operation>, Fault> {
        known(project)?;
        Ok(self
            .world()
            .operations
            .iter()
            .rev()
            .map(|sender| sender.borrow().clone())
            .collect())
    }

    async fn get_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault> {
        known(project)?;
        Ok(self.operation(id)?.borrow().clone())
    }

    async fn cancel_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault> {
        known(project)?;
        let operation = self.operation(id)?;
        operation.send_modify(|now| now.state = OperationState::Cancelled);
        Ok(operation.borrow().clone())
    }

    async fn watch_operation(
        &self,
        project: &ProjectId,
        id: &OperationId,
    ) -> Result<BoxStream<'static, Operation>, Fault> {
        known(project)?;
        let mut receiver = self.operation(id)?.subscribe();
        receiver.mark_changed();
        let changes = stream::unfold(receiver, |mut receiver| async {
            receiver.changed().await.ok()?;
            let now = receiver.borrow_and_update().clone();
            Some((now, receiver))
        });
        Ok(changes.boxed())
    }

    async fn list_events(
        &self,
        project: &ProjectId,
        subject: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Event>, Fault> {
        known(project)?;
        let world = self.world();
        let wanted =
            |event: &&Event| subject.is_none_or(|s| event.subject.id == s || event.subject_name == s);
        Ok(world
            .events
            .iter()
            .filter(wanted)
            .take(limit as usize)
            .cloned()
            .collect())
    }

    async fn usage(&self, project: &ProjectId) -> Result<Usage, Fault> {
        known(project)?;
        let world = self.world();
        Ok(Usage::of(world.clusters.len() as u64, world.machines.iter()))
    }

    async fn org_usage(&self, _: &OrgId) -> Result<Usage, Fault> {
        let world = self.world();
        Ok(Usage::of(world.clusters.len() as u64, world.machines.iter()))
    }

    async fn list_bundles(&self) -> Result<Vec<BundleSummary>, Fault> {
        Ok(vec![BundleSummary {
            version: "v1.36.4".parse().expect("a patch"),
            digest: "sha256:aaaa".to_owned(),
            node_image: "sha256:bbbb".to_owned(),
        }])
    }

    async fn census(&self) -> Result<Census, Fault> {
        let world = self.world();
        let running = world
            .operations
            .iter()
            .filter(|op| op.borrow().state == OperationState::Running)
            .count();
        Ok(Census {
            clusters: vec![(ClusterPhase::Running, world.clusters.len() as u64)],
            operations: vec![(OperationState::Running, running as u64)],
        })
    }
}
