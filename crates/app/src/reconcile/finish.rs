//! The end of a deletion: a look at the world that reads no ledger, a report, and the rows going.

use std::collections::BTreeSet;

use ports::{
    scan::Found,
    store::{Entity, Filter, Lease, LedgerEntry, Write},
};
use types::{
    Fault,
    cluster::Cluster,
    grant::ClusterGrant,
    machine::{Machine, Role},
    network::Network,
    share::ClusterShare,
};
use workflow::Outcome;

use super::cluster::scene;
use crate::{World, records};

pub(super) async fn cluster(world: &World, lease: &Lease) -> Result<Outcome, Fault> {
    let scene = scene(world, &lease.subject.id).await?;
    let machines: Vec<&Machine> = scene.machines.iter().map(|m| &m.value).collect();
    let mut own = BTreeSet::from([scene.cluster.value.id.to_string()]);
    for machine in &machines {
        own.extend(owners(machine));
    }
    let mut report = vec![format!("removed {}", counted(&machines))];
    report.extend(verdict(world, &own).await?);
    let mut writes = off_the_ledger(world, lease).await?;
    writes.extend(machines.iter().map(|m| Write::Delete {
        kind: "machine",
        id: m.id.to_string(),
    }));
    // What was granted in it, and with whom it was shared.
    let of_it = Filter::within(scene.cluster.value.id.as_str());
    for kind in [ClusterGrant::KIND, ClusterShare::KIND] {
        for doc in world.store.list(kind, &of_it).await.map_err(records::fault)? {
            writes.push(Write::Delete { kind, id: doc.id });
        }
    }
    writes.push(Write::Delete {
        kind: "cluster",
        id: scene.cluster.value.id.to_string(),
    });
    Ok(Outcome::Ended { writes, report })
}

pub(super) async fn network(world: &World, lease: &Lease) -> Result<Outcome, Fault> {
    let own = BTreeSet::from([lease.subject.id.clone()]);
    let mut report = vec!["removed the network".to_owned()];
    report.extend(verdict(world, &own).await?);
    let mut writes = off_the_ledger(world, lease).await?;
    writes.push(Write::Delete {
        kind: "network",
        id: lease.subject.id.clone(),
    });
    Ok(Outcome::Ended { writes, report })
}

fn owners(machine: &Machine) -> Vec<String> {
    let mut ids = vec![machine.id.to_string(), machine.port.to_string()];
    match &machine.role {
        Role::ControlPlane { volume } => ids.push(volume.to_string()),
        Role::Worker { .. } => {}
    }
    ids
}

fn counted(machines: &[&Machine]) -> String {
    let workers = machines.iter().filter(|m| m.is_worker()).count();
    let planes = machines.len() - workers;
    let many = |n: usize, what: &str| {
        if n == 1 {
            format!("1 {what}")
        } else {
            format!("{n} {what}s")
        }
    };
    format!(
        "{}, {}, {}, {}, its keys and images",
        many(planes, "control plane"),
        many(workers, "worker"),
        many(machines.len(), "port"),
        many(planes, "volume"),
    )
}

/// What is left of the deleted thing is removed once more and fails the step if it stays; what belongs to nothing we
/// know is told.
async fn verdict(world: &World, own: &BTreeSet<String>) -> Result<Vec<String>, Fault> {
    let mut found = scan(world).await?;
    if !left(&found, own).is_empty() {
        remove(world, &left(&found, own)).await?;
        found = scan(world).await?;
    }
    let left = left(&found, own);
    if !left.is_empty() {
        let left: Vec<String> = left.into_iter().map(shown).collect();
        return Err(Fault::unavailable(
            "leftovers",
            format!("a scan found left: {}", left.join(", ")),
            "the platform tries to remove them again; if they stay, remove them by hand",
        ));
    }
    let known = known_owners(world).await?;
    let strays: Vec<String> = found
        .iter()
        .filter(|f| !known.contains(&f.owner))
        .map(shown)
        .collect();
    if strays.is_empty() {
        return Ok(vec!["a scan of the host found nothing left".to_owned()]);
    }
    let mut report = vec![
        "a scan of the host found nothing left of it, and things that belong to nothing known:".to_owned(),
    ];
    report.extend(strays);
    Ok(report)
}

fn left<'a>(found: &'a [Found], own: &BTreeSet<String>) -> Vec<&'a Found> {
    found.iter().filter(|f| own.contains(&f.owner)).collect()
}

/// Half a machine may be left where no machine is seen, so its remains are asked for by their owner's name. Machines
/// hold volumes and ports: they go first.
async fn remove(world: &World, left: &[&Found]) -> Result<(), Fault> {
    let owners: BTreeSet<&str> = left.iter().map(|f| f.owner.as_str()).collect();
    for id in owners.iter().filter_map(|owner| owner.parse().ok()) {
        world.compute.remove(&id).await?;
    }
    for id in owners.iter().filter_map(|owner| owner.parse().ok()) {
        world.network.remove(&id).await?;
    }
    for id in owners.iter().filter_map(|owner| owner.parse().ok()) {
        world.volumes.remove(&id).await?;
    }
    Ok(())
}

async fn scan(world: &World) -> Result<Vec<Found>, Fault> {
    let mut found = world.compute.scan().await?;
    found.extend(world.network.scan().await?);
    found.extend(world.volumes.scan().await?);
    Ok(found)
}

async fn known_owners(world: &World) -> Result<BTreeSet<String>, Fault> {
    let everything = Filter::default();
    let mut known = BTreeSet::new();
    for machine in records::list::<Machine>(&*world.store, &everything).await? {
        known.extend(owners(&machine.value));
    }
    for network in records::list::<Network>(&*world.store, &everything).await? {
        known.insert(network.value.id.to_string());
    }
    for cluster in records::list::<Cluster>(&*world.store, &everything).await? {
        known.insert(cluster.value.id.to_string());
    }
    Ok(known)
}

fn shown(found: &Found) -> String {
    format!("{:?} {}", found.what, found.name).to_lowercase()
}

async fn off_the_ledger(world: &World, lease: &Lease) -> Result<Vec<Write>, Fault> {
    let entries = world.store.ledger(&lease.subject).await.map_err(records::fault)?;
    let gone = |LedgerEntry { subject, kind, id }| Write::LedgerRemove { subject, kind, id };
    Ok(entries.into_iter().map(gone).collect())
}
