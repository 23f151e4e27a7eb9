//! What is told of a cluster: its phase, why, its conditions, and events when any of that changes.

use plan::{ClusterObserved, Step};
use ports::store::{Batch, Doc, Lease, Versioned, Write};
use types::{
    Fault,
    cluster::{Cluster, ClusterStatus},
    machine::{Machine, Power},
    operation::Severity,
    status::{ClusterPhase, Condition, ConditionKind, MachinePhase, Observed},
};

use super::{
    cluster::Scene,
    events::{event, phase_event},
};
use crate::{World, records};

/// Writes what was seen, where it differs from what was told before.
pub(super) async fn observed(
    world: &World,
    lease: &Lease,
    scene: &Scene,
    seen: &ClusterObserved,
    steps: &[Step],
) -> Result<(), Fault> {
    let cluster = &scene.cluster.value;
    let mut writes = Vec::new();
    for machine in &scene.machines {
        writes.extend(machine_writes(world, lease, cluster, machine, seen));
    }
    let status = status(world, cluster, &scene.machines, seen, steps);
    if status != cluster.status {
        writes.extend(phase_event(world, lease, cluster, &status));
        let changed = Cluster {
            status,
            ..cluster.clone()
        };
        writes.push(Write::Put(Doc::new(&changed, scene.cluster.version)));
    }
    commit(world, lease, writes).await
}

pub(super) async fn commit(world: &World, lease: &Lease, writes: Vec<Write>) -> Result<(), Fault> {
    if writes.is_empty() {
        return Ok(());
    }
    world
        .store
        .commit(Batch {
            fence: Some(lease.clone()),
            writes,
        })
        .await
        .map_err(records::fault)
}

fn status(
    world: &World,
    cluster: &Cluster,
    machines: &[Versioned<Machine>],
    seen: &ClusterObserved,
    steps: &[Step],
) -> ClusterStatus {
    let old = &cluster.status;
    let workers = machines.iter().filter(|m| m.value.stays()).count();
    let ready = machines
        .iter()
        .filter(|m| m.value.stays() && seen.admitted.contains(&m.value.id))
        .count();
    let all: Vec<Machine> = machines.iter().map(|m| m.value.clone()).collect();
    let lost = lost(cluster, &all, seen);
    let settled = steps.is_empty() && lost.is_none();
    let (wanted, reason) = match &lost {
        Some(fault) => (ClusterPhase::Lost, fault.cause.clone()),
        None => judged(cluster, machines, seen, settled),
    };
    let phase = if old.phase.may_become(wanted) {
        wanted
    } else {
        old.phase
    };
    let mut progress = old.progress.clone();
    progress.settled_once |= phase == ClusterPhase::Running;
    let api = seen.api.present().is_some();
    let gone = lost
        .as_ref()
        .map(|fault| format!("{}: {}", fault.cause, fault.remedy))
        .unwrap_or_default();
    let conditions = [
        (
            ConditionKind::ControlPlaneReady,
            api,
            "the API answers",
            "the API does not answer",
        ),
        (
            ConditionKind::WorkersReady,
            ready == workers,
            "every worker is a ready node",
            "some worker is not a ready node",
        ),
        (
            ConditionKind::EndpointPublished,
            seen.published,
            "the endpoint is served",
            "the endpoint is not served",
        ),
        (
            ConditionKind::CertificatesValid,
            seen.keys_good,
            "all certificates are good",
            "certificates are missing or near their end",
        ),
        (
            ConditionKind::DataPresent,
            lost.is_none(),
            "the volume with its state is there",
            &gone,
        ),
    ];
    ClusterStatus {
        phase,
        reason,
        observed_generation: if settled {
            cluster.generation
        } else {
            old.observed_generation
        },
        conditions: conditions
            .into_iter()
            .map(|(kind, holds, yes, no)| condition(world, old, kind, holds, if holds { yes } else { no }))
            .collect(),
        nodes_ready: u32::try_from(ready).unwrap_or(u32::MAX),
        nodes_wanted: u32::try_from(workers).unwrap_or(u32::MAX),
        progress,
    }
}

/// Why nothing is done for a cluster whose data is gone, and what its owner can do.
pub(super) fn lost(cluster: &Cluster, machines: &[Machine], seen: &ClusterObserved) -> Option<Fault> {
    if cluster.deleting || cluster.held {
        return None;
    }
    let volume = plan::lost(cluster, machines, seen)?;
    Some(Fault::refused(
        "cluster-lost",
        format!("the volume {volume} with its state is gone from this host"),
        format!(
            "put volumes/{volume}.img back into the state directory from a copy, and the cluster goes on by itself; or \
             `cloud k8s delete {}` and make it anew",
            cluster.name
        ),
    ))
}

fn judged(
    cluster: &Cluster,
    machines: &[Versioned<Machine>],
    seen: &ClusterObserved,
    settled: bool,
) -> (ClusterPhase, String) {
    if cluster.deleting {
        return (ClusterPhase::Deleting, "being deleted".to_owned());
    }
    if cluster.held {
        let reason = "its creation was cancelled; retry it or delete it";
        return (ClusterPhase::Failed, reason.to_owned());
    }
    if settled {
        return (ClusterPhase::Running, String::new());
    }
    let failed = cluster.status.phase == ClusterPhase::Failed;
    if !cluster.status.progress.settled_once {
        let phase = if failed {
            ClusterPhase::Failed
        } else {
            ClusterPhase::Provisioning
        };
        return (
            phase,
            if failed {
                cluster.status.reason.clone()
            } else {
                "being made".to_owned()
            },
        );
    }
    // New workers are not trouble before they are there.
    let changing = cluster.status.observed_generation < cluster.generation;
    let lasting = machines
        .iter()
        .map(|m| &m.value)
        .filter(|m| !(m.deleting || changing && m.is_worker()));
    match trouble(&lasting.collect::<Vec<_>>(), seen) {
        Some(reason) => (ClusterPhase::Degraded, reason),
        None if changing => (ClusterPhase::Updating, "a change is being made".to_owned()),
        // Files refreshed, certificates renewed: nothing its owner would notice.
        None => (ClusterPhase::Running, String::new()),
    }
}

/// What is wrong with a cluster that was right before.
fn trouble(machines: &[&Machine], seen: &ClusterObserved) -> Option<String> {
    let down = machines.iter().find(|m| !is_on(m, seen));
    if let Some(machine) = down {
        let what = if machine.is_worker() {
            "worker"
        } else {
            "control plane"
        };
        return Some(format!(
            "the {what} {} is down and being started again",
            machine.hostname
        ));
    }
    if seen.api.present().is_none() {
        let cause = if seen.published {
            "its API does not answer"
        } else {
            "the shared endpoint does not serve it"
        };
        return Some(cause.to_owned());
    }
    let unready = machines
        .iter()
        .find(|m| m.is_worker() && !seen.admitted.contains(&m.id));
    unready.map(|machine| format!("the node {} is not ready", machine.hostname))
}

fn is_on(machine: &Machine, seen: &ClusterObserved) -> bool {
    match seen.machines.get(&machine.id) {
        Some(Observed::Present(m)) => m.power == Power::On,
        Some(Observed::Unknown(_)) => true,
        Some(Observed::Absent) | None => false,
    }
}

fn condition(
    world: &World,
    old: &ClusterStatus,
    kind: ConditionKind,
    holds: bool,
    message: &str,
) -> Condition {
    match old.conditions.iter().find(|c| c.kind == kind && c.holds == holds) {
        Some(same) => same.clone(),
        None => Condition {
            kind,
            holds,
            reason: if holds { "Holds" } else { "DoesNotHold" }.to_owned(),
            message: message.to_owned(),
            since: world.clock.now(),
        },
    }
}

fn machine_writes(
    world: &World,
    lease: &Lease,
    cluster: &Cluster,
    machine: &Versioned<Machine>,
    seen: &ClusterObserved,
) -> Vec<Write> {
    let on = is_on(&machine.value, seen);
    let phase = match (machine.value.deleting, on, machine.value.phase) {
        (true, _, _) => MachinePhase::Deleting,
        (false, true, _) => MachinePhase::Running,
        (false, false, MachinePhase::Pending) => MachinePhase::Pending,
        (false, false, _) => MachinePhase::Down,
    };
    if phase == machine.value.phase {
        return Vec::new();
    }
    let changed = Machine {
        phase,
        ..machine.value.clone()
    };
    let mut writes = vec![Write::Put(Doc::new(&changed, machine.version))];
    let name = cluster.name.as_str();
    match phase {
        MachinePhase::Down => {
            let message = format!("{} is down; it is being started again", machine.value.hostname);
            writes.push(event(
                world,
                lease,
                &cluster.project,
                name,
                Severity::Warning,
                "MachineDown",
                message,
            ));
        }
        MachinePhase::Running => {
            let message = format!("{} is running", machine.value.hostname);
            writes.push(event(
                world,
                lease,
                &cluster.project,
                name,
                Severity::Normal,
                "MachineRunning",
                message,
            ));
        }
        MachinePhase::Pending | MachinePhase::Deleting => {}
    }
    writes
}
