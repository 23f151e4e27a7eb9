//! A worker leaving a cluster that goes on.

use ports::store::{Doc, Lease, Write};
use types::{Fault, FaultKind, MachineId, cluster::Cluster, network::Network};
use workflow::Outcome;

use super::steps::machine;
use crate::{World, desired::target, records};

/// How many of the pods that are still there are named.
const NAMED: usize = 3;

pub(super) async fn drain(world: &World, id: &MachineId) -> Result<Outcome, Fault> {
    let machine = machine(world, id).await?;
    let cluster = cluster(world, machine.cluster.as_str()).await?;
    let Some(material) = target::cluster_material(world, &cluster.id).await? else {
        return Ok(Outcome::Done);
    };
    let target = target::api_target(world, &cluster, &material);
    match world.api.drain_node(&target, &machine.hostname).await {
        Ok(left) if left.is_empty() => Ok(Outcome::Done),
        Ok(left) => Ok(Outcome::Later(told(&left))),
        Err(fault) if fault.kind == FaultKind::Unavailable => Ok(Outcome::Later(fault.cause)),
        Err(fault) => Err(fault),
    }
}

fn told(left: &[String]) -> String {
    let named = left.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>();
    let more = if left.len() > NAMED { ", …" } else { "" };
    format!("{} pods are still there: {}{more}", left.len(), named.join(", "))
}

pub(super) async fn forget(world: &World, lease: &Lease, id: &MachineId) -> Result<Outcome, Fault> {
    let machine = machine(world, id).await?;
    let cluster = cluster(world, machine.cluster.as_str()).await?;
    if let Some(material) = target::cluster_material(world, &cluster.id).await? {
        let target = target::api_target(world, &cluster, &material);
        match world.api.delete_node(&target, &machine.hostname).await {
            Ok(()) => {}
            Err(fault) if fault.kind == FaultKind::Unavailable => return Ok(Outcome::Later(fault.cause)),
            Err(fault) => return Err(fault),
        }
    }
    let mut writes = vec![
        Write::DeleteSecrets {
            owner: id.to_string(),
        },
        Write::Delete {
            kind: "machine",
            id: id.to_string(),
        },
        Write::LedgerRemove {
            subject: lease.subject.clone(),
            kind: "machine".to_owned(),
            id: id.to_string(),
        },
    ];
    // With the row its port goes: the network has something new to learn.
    if let Some(mut network) = records::get::<Network>(&*world.store, cluster.network.as_str()).await? {
        network.value.generation += 1;
        writes.push(Write::Put(Doc::new(&network.value, network.version)));
    }
    Ok(Outcome::Recorded(writes))
}

async fn cluster(world: &World, id: &str) -> Result<Cluster, Fault> {
    let found = records::get::<Cluster>(&*world.store, id).await?;
    found
        .map(|c| c.value)
        .ok_or_else(|| Fault::not_found("cluster", id))
}
