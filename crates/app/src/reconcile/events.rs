//! Events: what is said when something about a cluster or network changes, and when it cannot be brought about.

use ports::store::{Doc, Lease, Write};
use types::{
    EventId, Fault, ProjectId,
    cluster::{Cluster, ClusterStatus},
    network::Network,
    operation::{Event, Severity, Subject},
    status::ClusterPhase,
};

use super::facts::commit;
use crate::{World, records};

pub(super) fn phase_event(
    world: &World,
    lease: &Lease,
    cluster: &Cluster,
    status: &ClusterStatus,
) -> Option<Write> {
    if status.phase == cluster.status.phase {
        return None;
    }
    let severity = match status.phase {
        ClusterPhase::Degraded | ClusterPhase::Failed | ClusterPhase::Lost => Severity::Warning,
        ClusterPhase::Provisioning
        | ClusterPhase::Running
        | ClusterPhase::Updating
        | ClusterPhase::Deleting => Severity::Normal,
    };
    let reason = if status.reason.is_empty() {
        String::new()
    } else {
        format!(": {}", status.reason)
    };
    let message = format!(
        "{} → {}{reason}",
        cluster.status.phase.as_str(),
        status.phase.as_str()
    );
    Some(event(
        world,
        lease,
        &cluster.project,
        cluster.name.as_str(),
        severity,
        "PhaseChanged",
        message,
    ))
}

pub(super) fn event(
    world: &World,
    lease: &Lease,
    project: &ProjectId,
    name: &str,
    severity: Severity,
    reason: &str,
    message: String,
) -> Write {
    Write::Event(Event {
        id: EventId::generate(),
        project: project.clone(),
        subject: Subject {
            kind: lease.subject.kind,
            id: lease.subject.id.clone(),
        },
        subject_name: name.to_owned(),
        severity,
        reason: reason.to_owned(),
        message,
        at: world.clock.now(),
    })
}

pub(super) async fn cluster_failed(
    world: &World,
    lease: &Lease,
    fault: &Fault,
    given_up: bool,
) -> Result<(), Fault> {
    let Some(cluster) = records::get::<Cluster>(&*world.store, &lease.subject.id).await? else {
        return Ok(());
    };
    let mut writes = Vec::new();
    let value = &cluster.value;
    if given_up {
        let message = format!("{fault}; {}", fault.remedy);
        let name = value.name.as_str();
        writes.push(event(
            world,
            lease,
            &value.project,
            name,
            Severity::Warning,
            "Failed",
            message,
        ));
        if !value.deleting && !value.status.progress.settled_once {
            let mut failed = value.clone();
            failed.status.phase = ClusterPhase::Failed;
            failed.status.reason = fault.to_string();
            if failed != *value {
                writes.push(Write::Put(Doc::new(&failed, cluster.version)));
            }
        }
    }
    commit(world, lease, writes).await
}

pub(super) async fn network_failed(
    world: &World,
    lease: &Lease,
    fault: &Fault,
    given_up: bool,
) -> Result<(), Fault> {
    let Some(network) = records::get::<Network>(&*world.store, &lease.subject.id).await? else {
        return Ok(());
    };
    if !given_up {
        return Ok(());
    }
    let Network { project, name, .. } = &network.value;
    let message = format!("{fault}; {}", fault.remedy);
    let write = event(
        world,
        lease,
        project,
        name.as_str(),
        Severity::Warning,
        "Failed",
        message,
    );
    commit(world, lease, vec![write]).await
}
