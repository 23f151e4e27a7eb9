//! Nodes as the cluster's own API shows them.

use std::collections::BTreeMap;

use ::cluster::material::ClusterMaterial;
use ports::cluster_api::{NodeSeen, NodeWanted};
use types::{
    Fault, FaultKind, MachineId,
    cluster::Cluster,
    machine::{Machine, Role},
    status::Observed,
};
use workflow::Outcome;

use crate::{World, desired::target};

/// Whether the API answers, and which workers are fully part of the cluster.
pub(super) async fn observe(
    world: &World,
    cluster: &Cluster,
    machines: &[Machine],
    material: &ClusterMaterial,
) -> Result<(Observed<()>, Vec<MachineId>), Fault> {
    let target = target::api_target(world, cluster, material);
    if !world.api.ready(&target).await? {
        return Ok((Observed::Absent, Vec::new()));
    }
    let nodes = match world.api.nodes(&target).await {
        Ok(nodes) => nodes,
        Err(fault) if fault.kind == FaultKind::Unavailable => return Ok((Observed::Absent, Vec::new())),
        Err(fault) => return Err(fault),
    };
    let admitted = machines.iter().filter(|machine| {
        let node = nodes.iter().find(|node| node.name == machine.hostname);
        wanted(cluster, machine)
            .zip(node)
            .is_some_and(|(wanted, node)| node.ready && adopted(&wanted, node))
    });
    Ok((Observed::Present(()), admitted.map(|m| m.id.clone()).collect()))
}

/// What the platform decides about a node. Control planes have none.
fn wanted(cluster: &Cluster, machine: &Machine) -> Option<NodeWanted> {
    let Role::Worker { group, pods } = &machine.role else {
        return None;
    };
    let mut labels = BTreeMap::from([("plasmacloud.io/node-group".to_owned(), group.to_string())]);
    for role in cluster
        .spec
        .node_groups
        .get(group)
        .into_iter()
        .flat_map(|g| &g.roles)
    {
        labels.insert(format!("node-role.kubernetes.io/{role}"), String::new());
    }
    Some(NodeWanted {
        name: machine.hostname.clone(),
        pods: *pods,
        labels,
    })
}

fn adopted(wanted: &NodeWanted, node: &NodeSeen) -> bool {
    node.pods == Some(wanted.pods)
        && wanted
            .labels
            .iter()
            .all(|(key, value)| node.labels.get(key) == Some(value))
}

pub(super) async fn admit(
    world: &World,
    cluster: &Cluster,
    machine: &Machine,
    material: &ClusterMaterial,
) -> Result<Outcome, Fault> {
    let Some(wanted) = wanted(cluster, machine) else {
        return Ok(Outcome::Done);
    };
    let target = target::api_target(world, cluster, material);
    let nodes = match world.api.nodes(&target).await {
        Ok(nodes) => nodes,
        Err(fault) if fault.kind == FaultKind::Unavailable => return Ok(Outcome::Later(fault.cause)),
        Err(fault) => return Err(fault),
    };
    let Some(node) = nodes.iter().find(|node| node.name == machine.hostname) else {
        return Ok(Outcome::Later(format!("{} has not registered", machine.hostname)));
    };
    if !adopted(&wanted, node) {
        world.api.adopt_node(&target, &wanted).await?;
    }
    if node.ready {
        Ok(Outcome::Done)
    } else {
        Ok(Outcome::Later(node.message.clone()))
    }
}
