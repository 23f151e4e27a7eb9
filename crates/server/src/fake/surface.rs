//! The fake's answers.

use std::path::Path;

use async_trait::async_trait;
use cluster::ssh::PublicKey;
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use types::{
    Cidr, Fault, OperationId, OrgId, Principal, ProjectId, Secret,
    cluster::{Cluster, ClusterSpec},
    grant::Granted,
    kubeconfig::CertificateKind,
    machine::Machine,
    network::Network,
    operation::{Operation, OperationKind, OperationState, SubjectKind},
    status::ClusterPhase,
};

use super::{
    Fake,
    clusters::{known, subject, taken},
    samples,
};
use crate::surface::{
    ApiServing, BundleSummary, Called, Census, Certificates, ClusterDetail, InForce, Level, NetworkApplied,
    PlanPreview, Progress, SshPass, Surface, Trust, Usage,
};

#[async_trait]
impl Surface for Fake {
    async fn create_network(
        &self,
        project: &ProjectId,
        called: Called,
        cidr: Cidr,
    ) -> Result<(Network, Operation), Fault> {
        let Called { name, labels } = called;
        known(project)?;
        types::network::check_range(cidr).map_err(|fault| fault.at("cidr"))?;
        if self.get_network(project, name.as_str()).await.is_ok() {
            return Err(taken("vpc", &name));
        }
        let network = {
            let mut world = self.world();
            let mut network = samples::network(world.next(), name.clone(), cidr);
            network.labels = labels.unwrap_or_default();
            world.networks.push(network.clone());
            network
        };
        let about = subject(SubjectKind::Network, network.id.as_str());
        let operation = self.begin(OperationKind::Create, about, name.as_str()).await;
        Ok((network, operation))
    }

    async fn apply_network(
        &self,
        project: &ProjectId,
        called: Called,
        cidr: Cidr,
    ) -> Result<NetworkApplied, Fault> {
        let Ok(mut network) = self.get_network(project, called.name.as_str()).await else {
            let (network, operation) = self.create_network(project, called, cidr).await?;
            let operation = Some(operation);
            return Ok(NetworkApplied { network, operation });
        };
        app::terms::expect(Some(&network))?;
        if network.cidr != cidr {
            return Err(Fault::refused(
                "vpc-range-fixed",
                format!("the VPC '{}' has the range {}", network.name, network.cidr),
                "make a VPC of another name, or delete this one first",
            ));
        }
        if let Some(labels) = called.labels {
            network.labels = labels;
        }
        for stored in self.world().networks.iter_mut().filter(|n| n.id == network.id) {
            *stored = network.clone();
        }
        self.write_books().await;
        let operation = None;
        Ok(NetworkApplied { network, operation })
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
        Ok(self
            .begin(OperationKind::Delete, about, network.name.as_str())
            .await)
    }

    async fn create_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Operation), Fault> {
        self.make_cluster(project, called, spec).await
    }

    async fn apply_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Option<Operation>), Fault> {
        self.change_cluster(project, called, spec).await
    }

    async fn plan_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<PlanPreview, Fault> {
        self.preview_cluster(project, called, spec).await
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
        Ok(self
            .begin(OperationKind::Delete, about, cluster.name.as_str())
            .await)
    }

    async fn retry_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault> {
        let cluster = self.find_cluster(project, reference)?;
        let about = subject(SubjectKind::Cluster, cluster.id.as_str());
        Ok(self
            .begin(OperationKind::Create, about, cluster.name.as_str())
            .await)
    }

    async fn in_force(
        &self,
        project: &ProjectId,
        reference: &str,
        granted: &[Granted],
    ) -> Result<Vec<InForce>, Fault> {
        self.find_cluster(project, reference)?;
        let known = |granted: &Granted| match &granted.namespace {
            Some(namespace) if namespace.as_str() != "default" => InForce::Waiting,
            _ => InForce::Yes,
        };
        Ok(granted.iter().map(known).collect())
    }

    async fn kubeconfig(
        &self,
        project: &ProjectId,
        reference: &str,
        _: Option<&str>,
    ) -> Result<Secret, Fault> {
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

    async fn ssh(
        &self,
        caller: &Principal,
        project: &ProjectId,
        reference: &str,
        public: &PublicKey,
    ) -> Result<SshPass, Fault> {
        let machine = self.get_instance(project, reference).await?;
        samples::ssh_pass(caller, machine, public)
    }

    async fn get_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault> {
        known(project)?;
        Ok(self.operation(id)?.borrow().clone())
    }

    async fn cancel_operation(&self, project: &ProjectId, id: &OperationId) -> Result<Operation, Fault> {
        known(project)?;
        let operation = self.operation(id)?;
        operation.send_modify(|now| now.state = OperationState::Cancelled);
        self.write_books().await;
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

    async fn usage(&self, project: &ProjectId) -> Result<Usage, Fault> {
        known(project)?;
        let world = self.world();
        Ok(Usage::of(world.clusters.len() as u64, world.machines.iter()))
    }

    async fn certificates(&self) -> Result<Certificates, Fault> {
        Ok(samples::certificates())
    }

    async fn rotate_certificates(&self, level: Level, force: bool) -> Result<Progress, Fault> {
        Ok(samples::rotation(level, force))
    }

    async fn api_serving(&self) -> Result<Option<ApiServing>, Fault> {
        self.pki.serving().map(Some)
    }

    async fn trust(&self) -> Result<Trust, Fault> {
        self.pki.trust()
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
