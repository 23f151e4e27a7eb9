//! How clusters are made, changed and planned in memory.

use types::{
    Fault, FaultKind, Name, ProjectId,
    cluster::{Cluster, ClusterSpec},
    operation::{Operation, OperationKind, Subject, SubjectKind},
    version::Wanted,
};

use super::{Fake, samples};
use crate::surface::{Called, Change, Impact, PlanPreview, PlannedStep, Surface};

/// Everything here belongs to the first project.
pub(super) fn known(project: &ProjectId) -> Result<(), Fault> {
    if *project == samples::project() {
        Ok(())
    } else {
        Err(Fault::not_found("thing", project.as_str()))
    }
}

pub(super) fn taken(what: &str, name: &Name) -> Fault {
    Fault::new(
        FaultKind::Conflict,
        format!("{what}-name-taken"),
        format!("there is a {what} '{name}' already"),
        "choose another name, or delete the other one first",
    )
}

pub(super) fn subject(kind: SubjectKind, id: &str) -> Subject {
    Subject {
        kind,
        id: id.to_owned(),
    }
}

pub(super) fn check_version(spec: &ClusterSpec) -> Result<(), Fault> {
    match spec.version.map(Wanted::line) {
        None => Ok(()),
        Some(line) if line.to_string() == "v1.36" => Ok(()),
        Some(line) => Err(Fault::unfit(
            "unknown-version",
            format!("there is no Kubernetes {line} here"),
            "choose one of v1.36",
        )
        .at("spec.version")),
    }
}

impl Fake {
    pub(super) fn find_cluster(&self, project: &ProjectId, reference: &str) -> Result<Cluster, Fault> {
        known(project)?;
        let world = self.world();
        let found = world
            .clusters
            .iter()
            .find(|c| c.id.as_str() == reference || c.name.as_str() == reference);
        found
            .cloned()
            .ok_or_else(|| Fault::not_found("cluster", reference))
    }

    pub(super) async fn make_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Operation), Fault> {
        let Called { name, labels } = called;
        let network = self.get_network(project, &spec.vpc).await?;
        check_version(&spec)?;
        if self.find_cluster(project, name.as_str()).is_ok() {
            return Err(taken("cluster", &name));
        }
        let cluster = {
            let mut world = self.world();
            let mut cluster = samples::cluster(world.next(), name.clone(), &network, spec);
            cluster.labels = labels.unwrap_or_default();
            for (group, scale) in &cluster.scales {
                for number in 1..=scale.replicas {
                    let machine = samples::worker(world.next(), &cluster, group, number);
                    world.machines.push(machine);
                }
            }
            let n = world.next();
            let id = cluster.id.as_str();
            world.events.insert(
                0,
                samples::event(
                    n,
                    SubjectKind::Cluster,
                    id,
                    name.as_str(),
                    "Accepted",
                    "the cluster is being made",
                ),
            );
            world.clusters.push(cluster.clone());
            cluster
        };
        let about = subject(SubjectKind::Cluster, cluster.id.as_str());
        let operation = self.begin(OperationKind::Create, about, name.as_str()).await;
        Ok((cluster, operation))
    }

    pub(super) async fn change_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<(Cluster, Option<Operation>), Fault> {
        let found = self.find_cluster(project, called.name.as_str());
        app::terms::expect(found.as_ref().ok())?;
        match found {
            Err(_) => {
                let (cluster, operation) = self.make_cluster(project, called, spec).await?;
                Ok((cluster, Some(operation)))
            }
            Ok(mut cluster) => {
                let same = cluster.spec == spec;
                cluster.generation += u64::from(!same);
                cluster.spec = spec;
                if let Some(labels) = called.labels {
                    cluster.labels = labels;
                }
                for stored in self
                    .world()
                    .clusters
                    .iter_mut()
                    .filter(|stored| stored.id == cluster.id)
                {
                    *stored = cluster.clone();
                }
                if same {
                    self.write_books().await;
                    return Ok((cluster, None));
                }
                let about = subject(SubjectKind::Cluster, cluster.id.as_str());
                let name = called.name.as_str();
                let operation = self.begin(OperationKind::Update, about, name).await;
                Ok((cluster, Some(operation)))
            }
        }
    }

    pub(super) async fn preview_cluster(
        &self,
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<PlanPreview, Fault> {
        let name = called.name;
        let step = |title: &str, detail: String| PlannedStep {
            title: title.to_owned(),
            detail,
        };
        match self.find_cluster(project, name.as_str()) {
            Err(_) => {
                let network = self.get_network(project, &spec.vpc).await?;
                Ok(PlanPreview {
                    change: Change::Create,
                    steps: vec![
                        step("attach to the network", network.name.to_string()),
                        step("start the control plane", name.to_string()),
                    ],
                    impact: Impact::default(),
                    notes: Vec::new(),
                })
            }
            Ok(cluster) if cluster.spec == spec => Ok(PlanPreview {
                change: Change::None,
                steps: Vec::new(),
                impact: Impact::default(),
                notes: Vec::new(),
            }),
            Ok(_) => Ok(PlanPreview {
                change: Change::Update,
                steps: vec![step("replace the node", format!("{name}-default-1"))],
                impact: Impact {
                    nodes_replaced: vec![format!("{name}-default-1")],
                    api_downtime: true,
                },
                notes: vec!["pods without a controller are lost".to_owned()],
            }),
        }
    }
}
