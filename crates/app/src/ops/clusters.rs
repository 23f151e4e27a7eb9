//! Clusters: create, apply, get, delete.

use ports::store::{Doc, Versioned, Write};
use types::{
    ClusterId, Fault, Name, ProjectId,
    cluster::{Cluster, ClusterSpec},
    machine::Machine,
    operation::{Event, Operation, OperationKind, Subject, SubjectKind},
    share::ClusterShare,
    status::ClusterPhase,
};

use super::{Called, Ops, accept::Decision, make_cluster::Draft};
use crate::{recipes, records, terms};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterDetail {
    pub cluster: Cluster,
    /// Only those the tenant may see.
    pub machines: Vec<Machine>,
    /// Newest first.
    pub events: Vec<Event>,
    pub endpoint: String,
}

const RECENT_EVENTS: u32 = 20;

pub(super) fn subject(id: &ClusterId) -> Subject {
    Subject {
        kind: SubjectKind::Cluster,
        id: id.to_string(),
    }
}

impl Ops {
    pub async fn create_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Operation), Fault> {
        let id = &ClusterId::generate();
        let (called, spec) = (&called, &spec);
        let name = &called.name;
        self.accept_once(move || {
            Box::pin(async move {
                let other = self.named(project, name).await?;
                terms::expect(other.as_ref())?;
                if let Some(other) = other {
                    return Err(name_taken(&other));
                }
                let Draft {
                    cluster,
                    machines,
                    mut network,
                } = self.draft(project, id, called, spec).await?;
                network.value.generation += 1;
                let subject = subject(id);
                let operation = self.operation(project, &subject, name.as_str(), OperationKind::Create, 1);
                let mut writes = vec![
                    Write::Put(Doc::new(&cluster, 0)),
                    Write::Put(Doc::new(&network.value, network.version)),
                    Write::Put(Doc::new(&operation, 0)),
                    self.wake(&subject),
                ];
                writes.extend(machines.iter().map(|m| Write::Put(Doc::new(m, 0))));
                writes.extend(recipes::keep(&self.world).await?);
                Ok(Decision::Write {
                    writes,
                    answer: (cluster, operation),
                })
            })
        })
        .await
    }

    pub(super) async fn named(&self, project: &ProjectId, name: &Name) -> Result<Option<Cluster>, Fault> {
        let found = records::named::<Cluster>(&*self.world.store, project.as_str(), name.as_str()).await?;
        Ok(found.map(|cluster| cluster.value))
    }

    /// Creates what is not there, changes what differs, and takes up what failed.
    pub async fn apply_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Option<Operation>), Fault> {
        if self.named(project, &called.name).await?.is_none() {
            return self
                .create_cluster(project, called, spec)
                .await
                .map(|(c, op)| (c, Some(op)));
        }
        match self.change_cluster(project, &called, &spec).await? {
            (cluster, None) if cluster.held || cluster.status.phase == ClusterPhase::Failed => {
                let operation = self.retry_cluster(project, cluster.id.as_str()).await?;
                Ok((cluster, Some(operation)))
            }
            answer => Ok(answer),
        }
    }

    /// A spec in the words of the cluster's own, so that the two can be compared: name and id of a VPC mean the same, and
    /// so do a line and the patch it was pinned to.
    pub(super) async fn comparable(
        &self,
        project: &ProjectId,
        current: &Cluster,
        spec: &ClusterSpec,
    ) -> Result<ClusterSpec, Fault> {
        if current.deleting {
            return Err(Fault::conflict(
                "cluster-deleting",
                format!("the cluster '{}' is being deleted", current.name),
                "wait until it is gone, then apply again",
            ));
        }
        let mut asked = spec.clone();
        if self.network(project, &spec.vpc).await?.value.id == current.network {
            asked.vpc.clone_from(&current.spec.vpc);
        }
        let pinned = self.world.bundles.resolve(spec.version);
        if pinned.is_ok_and(|version| version == current.pins.version) {
            asked.version = current.spec.version;
        }
        Ok(asked)
    }

    /// Also one that is shared with the project.
    pub async fn get_cluster(&self, project: &ProjectId, reference: &str) -> Result<ClusterDetail, Fault> {
        let store = &*self.world.store;
        let cluster = records::find_seen(store, project, reference).await?;
        let machines = records::children::<Machine>(store, cluster.id.as_str()).await?;
        let mut machines: Vec<Machine> = machines
            .into_iter()
            .map(|m| m.value)
            .filter(Machine::is_worker)
            .collect();
        machines.sort_by(|a, b| a.hostname.cmp(&b.hostname));
        let subject = subject(&cluster.id);
        let events = store
            .events(cluster.project.as_str(), Some(&subject), None, RECENT_EVENTS)
            .await
            .map_err(records::fault)?;
        let events = events.into_iter().map(|(_, event)| event).collect();
        Ok(ClusterDetail {
            cluster,
            machines,
            events,
            endpoint: self.endpoint(),
        })
    }

    pub async fn delete_cluster(&self, project: &ProjectId, reference: &str) -> Result<Operation, Fault> {
        self.accept(move || {
            Box::pin(async move {
                let store = &*self.world.store;
                let mut cluster = records::find_own(store, project, reference).await?;
                terms::expect(Some(&cluster.value))?;
                let subject = subject(&cluster.value.id);
                if cluster.value.deleting
                    && let Some(running) = self.running_operation(&subject).await?
                {
                    return Ok(Decision::Answer(running));
                }
                self.refuse_shared(&cluster.value).await?;
                let mut network = self.network(project, cluster.value.network.as_str()).await?;
                network.value.generation += 1;
                cluster.value.deleting = true;
                cluster.value.generation += 1;
                let name = cluster.value.name.as_str();
                let operation = self.operation(
                    project,
                    &subject,
                    name,
                    OperationKind::Delete,
                    cluster.value.generation,
                );
                let mut writes = vec![
                    Write::Put(Doc::new(&cluster.value, cluster.version)),
                    Write::Put(Doc::new(&network.value, network.version)),
                    Write::Put(Doc::new(&operation, 0)),
                    self.wake(&subject),
                ];
                let machines = records::children::<Machine>(store, cluster.value.id.as_str()).await?;
                writes.extend(machines.into_iter().map(leaving));
                Ok(Decision::Write {
                    writes,
                    answer: operation,
                })
            })
        })
        .await
    }

    /// Others work in it: it is not one project's to take away.
    async fn refuse_shared(&self, cluster: &Cluster) -> Result<(), Fault> {
        let shares = records::within::<ClusterShare>(&*self.world.store, cluster.id.as_str()).await?;
        let shares = shares.into_iter().map(|share| share.value);
        let with: Vec<String> = shares
            .filter(ClusterShare::is_active)
            .map(|share| share.with.name.to_string())
            .collect();
        if with.is_empty() {
            return Ok(());
        }
        Err(Fault::conflict(
            "cluster-shared",
            format!(
                "the cluster '{}' is shared with {}",
                cluster.name,
                with.join(", ")
            ),
            "have an administrator of the organisation end that first, with `cloud k8s unshare`",
        ))
    }
}

pub(super) fn leaving(machine: Versioned<Machine>) -> Write {
    let gone = Machine {
        deleting: true,
        ..machine.value
    };
    Write::Put(Doc::new(&gone, machine.version))
}

pub(super) fn name_taken(other: &Cluster) -> Fault {
    Fault::conflict(
        "name-taken",
        format!(
            "a cluster '{}' exists already in this project ({})",
            other.name,
            other.status.phase.as_str()
        ),
        "choose another name, or delete it first",
    )
}
