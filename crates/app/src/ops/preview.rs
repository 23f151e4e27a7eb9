//! What a description would do, without doing it.

use plan::{ClusterDesired, NetworkSeen};
use types::{ClusterId, Fault, Name, cluster::ClusterSpec, machine::Role};

use super::Ops;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Create,
    Update,
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanPreview {
    pub change: Change,
    pub steps: Vec<PlannedStep>,
    pub impact: Impact,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedStep {
    pub title: String,
    pub detail: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Impact {
    /// Names of the nodes that would be replaced.
    pub nodes_replaced: Vec<String>,
    pub api_downtime: bool,
}

impl Ops {
    pub async fn plan_cluster(
        &self,
        project: &str,
        name: Name,
        spec: ClusterSpec,
    ) -> Result<PlanPreview, Fault> {
        let project = self.project(project)?;
        if let Some(current) = self.named(&project, &name).await? {
            self.check_unchanged(&project, &current, &spec).await?;
            return Ok(PlanPreview {
                change: Change::None,
                steps: Vec::new(),
                impact: Impact::default(),
                notes: vec![format!(
                    "the cluster '{name}' is as described; nothing would change"
                )],
            });
        }
        let draft = self.draft(&project, &ClusterId::generate(), &name, &spec).await?;
        let desired = ClusterDesired {
            cluster: &draft.cluster,
            machines: &draft.machines,
            network_generation: draft.network.value.generation + 1,
            digests: std::collections::BTreeMap::new(),
        };
        let network = NetworkSeen {
            generation: draft.network.value.generation,
            ports: Vec::new(),
        };
        let steps = plan::preview(&desired, network);
        let steps = steps
            .into_iter()
            .map(|step| PlannedStep {
                detail: if step.after.is_empty() {
                    String::new()
                } else {
                    format!("after {}", step.after.join(", "))
                },
                title: step.title,
            })
            .collect();
        let workers = draft.machines.iter().filter(|m| m.is_worker());
        let mut notes = vec![format!("Kubernetes {}", draft.cluster.pins.version)];
        notes.extend(workers.map(|m| {
            let pods = match &m.role {
                Role::Worker { pods, .. } => pods.to_string(),
                Role::ControlPlane { .. } => String::new(),
            };
            let disk = m.size.disk.map(|d| d.to_string()).unwrap_or_default();
            format!(
                "worker at {}: {} vCPU, {} memory, {disk} disk, pods {pods}",
                m.address, m.size.vcpus, m.size.memory
            )
        }));
        Ok(PlanPreview {
            change: Change::Create,
            steps,
            impact: Impact::default(),
            notes,
        })
    }
}
