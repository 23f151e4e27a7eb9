//! What each action does. One function an action; all can be run again.

use ::cluster::{
    material::{ClusterMaterial, NodeMaterial, SECRET_NAME, to_secret},
    services,
};
use plan::{Action, Step};
use ports::{
    store::{Doc, Lease, Write},
    vault::SecretRef,
    volumes::VolumeDesired,
};
use types::{
    ClusterId, Fault, FaultKind, MachineId, NetworkId, Secret, VolumeId, machine::Machine,
    operation::SubjectKind,
};
use workflow::Outcome;

use super::{
    cluster::{Scene, horizon, planes, scene},
    departure, finish, node,
};
use crate::{
    World,
    desired::{self, machine::Frame, target, tenancy},
    identity, recipes, records,
};

pub(super) async fn execute(world: &World, lease: &Lease, step: &Step) -> Result<Outcome, Fault> {
    match &step.action {
        Action::IssueKeys(id) => issue_keys(world, id).await,
        Action::ApplyNetwork(id) => apply_network(world, id).await,
        Action::RemoveNetwork(id) => world.network.remove(id).await.map(|()| Outcome::Done),
        Action::PublishEdge => publish_edge(world).await,
        Action::MakeVolume(id) => {
            let volume = VolumeDesired {
                id: id.clone(),
                size: engine_hosted::VOLUME_SIZE,
            };
            world.volumes.ensure(&volume).await.map(|_| Outcome::Done)
        }
        Action::RemoveVolume(id) => remove_volume(world, id).await,
        Action::StartMachine(id) => start_machine(world, id).await,
        Action::RemoveMachine(id) => world.compute.remove(id).await.map(|()| Outcome::Done),
        Action::AwaitApi(id) => await_api(world, id).await,
        Action::InstallServices(id) => install_services(world, id).await,
        Action::AwaitTenancy(id) => await_tenancy(world, id).await,
        Action::AdmitNode(id) => admit_node(world, id).await,
        Action::DrainNode(id) => departure::drain(world, id).await,
        Action::ForgetMachine(id) => departure::forget(world, lease, id).await,
        Action::ForgetKeys(id) => forget_keys(world, id).await,
        Action::FinishDelete => match lease.subject.kind {
            SubjectKind::Cluster => finish::cluster(world, lease).await,
            SubjectKind::Network => finish::network(world, lease).await,
        },
    }
}

/// The edge serves what is stored now.
pub(crate) async fn published(world: &World) -> Result<bool, Fault> {
    let wanted = records::ground(&*world.store).await?.value.edge_generation;
    match world.edge.status().await {
        Ok(status) => Ok(status.generation >= wanted && !status.lacks_keys),
        Err(_) => Ok(false),
    }
}

pub(crate) async fn publish_edge(world: &World) -> Result<Outcome, Fault> {
    let config = desired::edge::render(world).await?;
    match world.edge.apply(&config).await {
        Ok(_) => Ok(Outcome::Done),
        // Somebody published something newer; it holds this as well.
        Err(fault) if fault.code == ports::edge::STALE => Ok(Outcome::Done),
        Err(fault) => Err(fault),
    }
}

async fn remove_volume(world: &World, id: &VolumeId) -> Result<Outcome, Fault> {
    match world.volumes.remove(id).await {
        Ok(()) => Ok(Outcome::Done),
        // The kernel lets go of a dead machine's mounts in its own time.
        Err(fault) if fault.kind == FaultKind::Conflict => Ok(Outcome::Later(fault.cause)),
        Err(fault) => Err(fault),
    }
}

async fn apply_network(world: &World, id: &NetworkId) -> Result<Outcome, Fault> {
    let Some(network) = desired::network::render(world, id).await? else {
        return Ok(Outcome::Done);
    };
    match world.network.apply(&network).await {
        Ok(_) => Ok(Outcome::Done),
        // A newer state came between reading and applying.
        Err(fault) if fault.code == ports::network::STALE => Ok(Outcome::Later(fault.cause)),
        Err(fault) => Err(fault),
    }
}

async fn issue_keys(world: &World, id: &ClusterId) -> Result<Outcome, Fault> {
    let Scene {
        cluster, machines, ..
    } = scene(world, id.as_str()).await?;
    let cluster = &cluster.value;
    let (now, horizon) = (world.clock.now(), horizon(world));
    let plane = machines.iter().find(|m| !m.value.is_worker());
    let plane =
        plane.ok_or_else(|| Fault::internal("no-plane", "a hosted cluster has no control-plane machine"))?;
    let mut writes = Vec::new();
    let material = match target::cluster_material(world, id).await? {
        Some(material) if material.expires()? >= horizon => material,
        Some(old) => old.renewed(cluster, plane.value.address, now)?,
        None => ClusterMaterial::generate(cluster, plane.value.address, now)?,
    };
    writes.push(sealed(world, id.as_str(), &to_secret(&material))?);
    let recipe = recipes::pinned(world, &cluster.pins.recipe).await?;
    if engine_hosted::asks_the_platform(&recipe) && !identity::good_client(world, id).await? {
        writes.push(identity::seal_client(world, id).await?);
    }
    for machine in machines.iter().map(|m| &m.value).filter(|m| m.stays()) {
        let node = match target::node_material(world, &machine.id).await? {
            Some(node) if node.expires()? >= horizon => continue,
            Some(old) => old.renewed(machine, &material.ca, now)?,
            None => NodeMaterial::generate(machine, &material.ca, now)?,
        };
        writes.push(sealed(world, machine.id.as_str(), &to_secret(&node))?);
    }
    Ok(Outcome::Recorded(writes))
}

fn sealed(world: &World, owner: &str, secret: &Secret) -> Result<Write, Fault> {
    let at = SecretRef::new(owner, SECRET_NAME);
    let sealed = world.vault.seal(&at, secret)?;
    Ok(Write::PutSecret { at, sealed })
}

async fn start_machine(world: &World, id: &MachineId) -> Result<Outcome, Fault> {
    let machine = machine(world, id).await?;
    let scene = scene(world, machine.cluster.as_str()).await?;
    let cluster = &scene.cluster.value;
    let Some(material) = target::cluster_material(world, &cluster.id).await? else {
        return Ok(Outcome::Later("its keys are not made yet".to_owned()));
    };
    let bundle = world
        .bundles
        .pinned(cluster.pins.version, &cluster.pins.bundle)
        .await?;
    let machines: Vec<Machine> = scene.machines.into_iter().map(|m| m.value).collect();
    let recipe = recipes::pinned(world, &cluster.pins.recipe).await?;
    let tenancy = tenancy::render(world, &recipe, cluster).await?;
    let frame = Frame {
        recipe: &recipe,
        cluster,
        network: &scene.network,
        material: &material,
        bundle: &bundle,
        planes: planes(&machines),
        tenancy: &tenancy,
    };
    let Some(desired) = frame.machine(world, &machine).await? else {
        return Ok(Outcome::Later("its keys are not made yet".to_owned()));
    };
    world.compute.apply(&desired).await?;
    Ok(Outcome::Done)
}

pub(super) async fn machine(world: &World, id: &MachineId) -> Result<Machine, Fault> {
    let found = records::get::<Machine>(&*world.store, id.as_str()).await?;
    found
        .map(|m| m.value)
        .ok_or_else(|| Fault::not_found("machine", id.as_str()))
}

async fn await_api(world: &World, id: &ClusterId) -> Result<Outcome, Fault> {
    let scene = scene(world, id.as_str()).await?;
    let Some(material) = target::cluster_material(world, id).await? else {
        return Ok(Outcome::Later("its keys are not made yet".to_owned()));
    };
    let ready = world
        .api
        .ready(&target::api_target(world, &scene.cluster.value, &material))
        .await?;
    if ready {
        Ok(Outcome::Done)
    } else {
        Ok(Outcome::Later("the API does not answer /readyz yet".to_owned()))
    }
}

async fn install_services(world: &World, id: &ClusterId) -> Result<Outcome, Fault> {
    let scene = scene(world, id.as_str()).await?;
    let mut cluster = scene.cluster;
    let Some(material) = target::cluster_material(world, id).await? else {
        return Ok(Outcome::Later("its keys are not made yet".to_owned()));
    };
    let pins = &cluster.value.pins;
    let bundle = world.bundles.pinned(pins.version, &pins.bundle).await?;
    let recipe = recipes::pinned(world, &pins.recipe).await?;
    let coredns = bundle.images.get("coredns").map_or("", String::as_str);
    let objects = services::objects(&recipe, &cluster.value.spec.ranges, coredns)?;
    let target = target::api_target(world, &cluster.value, &material);
    match world.api.apply(&target, &objects).await {
        Ok(()) => {}
        Err(fault) if fault.kind == FaultKind::Unavailable => return Ok(Outcome::Later(fault.cause)),
        Err(fault) => return Err(fault),
    }
    let recipe = cluster.value.pins.recipe.clone();
    cluster.value.status.progress.services = recipe;
    Ok(Outcome::Recorded(vec![Write::Put(Doc::new(
        &cluster.value,
        cluster.version,
    ))]))
}

/// The controllers inside make it once they are let in, which the services do.
async fn await_tenancy(world: &World, id: &ClusterId) -> Result<Outcome, Fault> {
    let mut cluster = scene(world, id.as_str()).await?.cluster;
    let Some(material) = target::cluster_material(world, id).await? else {
        return Ok(Outcome::Later("its keys are not made yet".to_owned()));
    };
    let recipe = recipes::pinned(world, &cluster.value.pins.recipe).await?;
    if engine_hosted::has_controllers(&recipe) {
        let target = target::api_target(world, &cluster.value, &material);
        match world.api.has(&target, &tenancy::last_made(&cluster.value)).await {
            Ok(true) => {}
            Ok(false) => {
                let reason = "its controllers have not made the project's namespace yet";
                return Ok(Outcome::Later(reason.to_owned()));
            }
            Err(fault) if fault.kind == FaultKind::Unavailable => return Ok(Outcome::Later(fault.cause)),
            Err(fault) => return Err(fault),
        }
    }
    let recipe = cluster.value.pins.recipe.clone();
    cluster.value.status.progress.tenancy = recipe;
    Ok(Outcome::Recorded(vec![Write::Put(Doc::new(
        &cluster.value,
        cluster.version,
    ))]))
}

async fn admit_node(world: &World, id: &MachineId) -> Result<Outcome, Fault> {
    let machine = machine(world, id).await?;
    let scene = scene(world, machine.cluster.as_str()).await?;
    match target::cluster_material(world, &machine.cluster).await? {
        Some(material) => node::admit(world, &scene.cluster.value, &machine, &material).await,
        None => Ok(Outcome::Later("its keys are not made yet".to_owned())),
    }
}

async fn forget_keys(world: &World, id: &ClusterId) -> Result<Outcome, Fault> {
    world.images.forget(id).await?;
    identity::revoke_client(world, id).await?;
    let machines = records::children::<Machine>(&*world.store, id.as_str()).await?;
    let owners = machines
        .iter()
        .map(|m| m.value.id.to_string())
        .chain([id.to_string()]);
    Ok(Outcome::Recorded(
        owners.map(|owner| Write::DeleteSecrets { owner }).collect(),
    ))
}
