//! What a description would do, without doing it.

use std::collections::BTreeMap;

use plan::{ClusterDesired, NetworkSeen, Step};
use types::{
    ClusterId, Fault, MachineId, ProjectId,
    cluster::{Cluster, ClusterSpec},
    machine::{Machine, Role, Size},
};

use super::{Called, Ops};
use crate::records;

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
        project: &ProjectId,
        called: Called,
        spec: ClusterSpec,
    ) -> Result<PlanPreview, Fault> {
        if let Some(current) = self.named(project, &called.name).await? {
            let mut preview = self.preview_change(project, &current, &spec).await?;
            if called.new_labels(&current.labels).is_some() {
                // They belong to no step.
                preview.change = Change::Update;
                preview.notes = vec!["labels would change".to_owned()]
                    .into_iter()
                    .chain(preview.notes.into_iter().filter(|_| !preview.steps.is_empty()))
                    .collect();
            }
            return Ok(preview);
        }
        let draft = self
            .draft(project, &ClusterId::generate(), &called, &spec)
            .await?;
        let desired = ClusterDesired {
            cluster: &draft.cluster,
            machines: &draft.machines,
            network_generation: draft.network.value.generation + 1,
            digests: BTreeMap::new(),
        };
        let network = NetworkSeen {
            generation: draft.network.value.generation,
            ports: Vec::new(),
        };
        let mut notes = vec![format!("Kubernetes {}", draft.cluster.pins.version)];
        notes.extend(draft.machines.iter().filter_map(|m| worker_note("worker", m)));
        Ok(PlanPreview {
            change: Change::Create,
            steps: planned(plan::preview(&desired, network)),
            impact: Impact::default(),
            notes,
        })
    }

    /// As if everything that is there were well: what is not is repaired whether the change is made or not.
    async fn preview_change(
        &self,
        project: &ProjectId,
        current: &Cluster,
        spec: &ClusterSpec,
    ) -> Result<PlanPreview, Fault> {
        let Some(changed) = self.changed(project, current, spec).await? else {
            let name = &current.name;
            return Ok(PlanPreview {
                change: Change::None,
                steps: Vec::new(),
                impact: Impact::default(),
                notes: vec![format!(
                    "the cluster '{name}' is as described; nothing would change"
                )],
            });
        };
        let present = records::children::<Machine>(&*self.world.store, current.id.as_str()).await?;
        let mut machines: Vec<Machine> = present.into_iter().map(|m| m.value).collect();
        let mut well = plan::ClusterObserved::well(&machines, changed.network.value.generation);
        well.keys_good = changed.coming.is_empty();
        let going: Vec<&MachineId> = changed.going.iter().map(|m| &m.value.id).collect();
        for machine in &mut machines {
            machine.deleting |= going.contains(&&machine.id);
        }
        let mut notes: Vec<String> = machines
            .iter()
            .filter(|m| going.contains(&&m.id))
            .filter_map(|m| worker_note("goes:", m))
            .collect();
        notes.extend(
            changed
                .coming
                .iter()
                .filter_map(|m| worker_note("comes: worker", m)),
        );
        machines.extend(changed.coming);
        let desired = ClusterDesired {
            cluster: &changed.cluster,
            machines: &machines,
            network_generation: changed.network.value.generation + 1,
            digests: BTreeMap::new(),
        };
        Ok(PlanPreview {
            change: Change::Update,
            steps: planned(plan::hosted(&desired, &well)),
            impact: Impact::default(),
            notes,
        })
    }
}

fn planned(steps: Vec<Step>) -> Vec<PlannedStep> {
    let shown = |step: Step| PlannedStep {
        detail: if step.after.is_empty() {
            String::new()
        } else {
            format!("after {}", step.after.join(", "))
        },
        title: step.title,
    };
    steps.into_iter().map(shown).collect()
}

fn worker_note(what: &str, machine: &Machine) -> Option<String> {
    let Role::Worker { pods, .. } = &machine.role else {
        return None;
    };
    let Size { vcpus, memory, disk } = machine.size;
    let disk = disk.map(|d| d.to_string()).unwrap_or_default();
    let at = machine.address;
    Some(format!(
        "{what} at {at}: {vcpus} vCPU, {memory} memory, {disk} disk, pods {pods}"
    ))
}
