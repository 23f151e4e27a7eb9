//! Clusters: one look at everything a cluster consists of, and the plan that follows from it.

use std::collections::BTreeMap;

use ::cluster::material::ClusterMaterial;
use plan::{ClusterDesired, ClusterObserved, MachineSeen};
use ports::store::{Lease, Versioned};
use types::{
    Fault, MachineId, Timestamp, VolumeId,
    cluster::Cluster,
    machine::{Machine, Power, Role},
    network::Network,
    status::Observed,
};
use workflow::Pass;

use super::{facts, network, node, steps};
use crate::{
    World,
    desired::{
        machine::{Frame, digest},
        target, tenancy,
    },
    identity, recipes, records,
};

/// How often a settled cluster is looked at.
const RECHECK_MS: i64 = 10_000;
/// Certificates are renewed when less than this is left: a third of their year.
pub(crate) const RENEW_BEFORE_S: i64 = 120 * 86_400;

/// A cluster with everything that belongs to it, read once for a pass.
pub(super) struct Scene {
    pub cluster: Versioned<Cluster>,
    pub machines: Vec<Versioned<Machine>>,
    pub network: Network,
}

pub(super) async fn generation(world: &World, id: &str) -> Result<Option<u64>, Fault> {
    Ok(records::get::<Cluster>(&*world.store, id)
        .await?
        .map(|c| c.value.generation))
}

pub(super) async fn scene(world: &World, id: &str) -> Result<Scene, Fault> {
    let cluster = records::get::<Cluster>(&*world.store, id).await?;
    let cluster = cluster.ok_or_else(|| Fault::not_found("cluster", id))?;
    let mut machines = records::children::<Machine>(&*world.store, id).await?;
    machines.sort_by_key(|m| m.value.address);
    let network = records::get::<Network>(&*world.store, cluster.value.network.as_str()).await?;
    let network =
        network.ok_or_else(|| Fault::internal("network-gone", "a cluster's network is not on the books"))?;
    Ok(Scene {
        cluster,
        machines,
        network: network.value,
    })
}

pub(super) async fn plan(world: &World, lease: &Lease) -> Result<Pass, Fault> {
    let scene = scene(world, &lease.subject.id).await?;
    let cluster = &scene.cluster.value;
    let machines: Vec<Machine> = scene.machines.iter().map(|m| m.value.clone()).collect();
    let material = target::cluster_material(world, &cluster.id).await?;
    let seen = observe(world, cluster, &machines, material.as_ref()).await?;
    let desired = ClusterDesired {
        cluster,
        machines: &machines,
        network_generation: scene.network.generation,
        digests: digests(world, &scene, &machines, material.as_ref()).await?,
    };
    let steps = plan::hosted(&desired, &seen);
    let generation = cluster.generation;
    facts::observed(world, lease, &scene, &seen, &steps).await?;
    Ok(Pass {
        held: cluster.held && !cluster.deleting,
        blocked: facts::lost(cluster, &machines, &seen),
        generation,
        steps,
        recheck_ms: RECHECK_MS,
    })
}

async fn digests(
    world: &World,
    scene: &Scene,
    machines: &[Machine],
    material: Option<&ClusterMaterial>,
) -> Result<BTreeMap<MachineId, String>, Fault> {
    let mut digests = BTreeMap::new();
    let cluster = &scene.cluster.value;
    let Some(material) = material.filter(|_| !cluster.deleting) else {
        return Ok(digests);
    };
    let bundle = world
        .bundles
        .pinned(cluster.pins.version, &cluster.pins.bundle)
        .await?;
    let recipe = recipes::pinned(world, &cluster.pins.recipe).await?;
    let tenancy = tenancy::render(world, cluster).await?;
    let frame = Frame {
        recipe: &recipe,
        cluster,
        network: &scene.network,
        material,
        bundle: &bundle,
        planes: planes(machines),
        tenancy: &tenancy,
    };
    for machine in machines.iter().filter(|m| !m.deleting) {
        if let Some(config) = frame.config(world, machine).await? {
            digests.insert(machine.id.clone(), digest(&config));
        }
    }
    Ok(digests)
}

/// How a cluster's control plane stands to the files it should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaneFiles {
    /// It does not run: whatever starts it lays them first.
    Off,
    Behind,
    Current,
}

pub(crate) async fn plane_files(world: &World, id: &str) -> Result<PlaneFiles, Fault> {
    let scene = scene(world, id).await?;
    let machines: Vec<Machine> = scene.machines.iter().map(|m| m.value.clone()).collect();
    let material = target::cluster_material(world, &scene.cluster.value.id).await?;
    let planes: Vec<Machine> = planes(&machines).into_iter().cloned().collect();
    let mut files = PlaneFiles::Off;
    let wanted = digests(world, &scene, &planes, material.as_ref()).await?;
    for plane in &planes {
        match world.compute.observe(&plane.id).await {
            Observed::Absent => {}
            Observed::Present(seen) if seen.power == Power::Off => {}
            Observed::Present(seen) if wanted.get(&plane.id) == Some(&seen.config_digest) => {
                files = PlaneFiles::Current;
            }
            Observed::Present(_) | Observed::Unknown(_) => return Ok(PlaneFiles::Behind),
        }
    }
    Ok(files)
}

pub(super) fn planes(machines: &[Machine]) -> Vec<&Machine> {
    machines.iter().filter(|m| !m.is_worker()).collect()
}

async fn observe(
    world: &World,
    cluster: &Cluster,
    machines: &[Machine],
    material: Option<&ClusterMaterial>,
) -> Result<ClusterObserved, Fault> {
    let mut seen_machines = BTreeMap::new();
    for machine in machines {
        let seen = match world.compute.observe(&machine.id).await {
            Observed::Present(seen) => Observed::Present(MachineSeen {
                power: seen.power,
                attached: seen.attached,
                digest: seen.config_digest,
            }),
            Observed::Absent => Observed::Absent,
            Observed::Unknown(why) => Observed::Unknown(why),
        };
        seen_machines.insert(machine.id.clone(), seen);
    }
    let published = steps::published(world).await?;
    // What was served before is served still while something newer is being published.
    let served = published || cluster.status.progress.settled_once;
    let (api, admitted) = match material {
        Some(material) if served && !cluster.deleting && plane_is_on(machines, &seen_machines) => {
            node::observe(world, cluster, machines, material).await?
        }
        _ => (Observed::Absent, Vec::new()),
    };
    let images = world.images.list(&cluster.id).await?;
    Ok(ClusterObserved {
        keys_good: keys_good(world, cluster, machines, material).await?,
        keys_kept: material.is_some() || !images.is_empty(),
        network: network::observe(world, &cluster.network).await,
        volumes: volumes(world, machines).await,
        machines: seen_machines,
        published,
        api,
        admitted,
    })
}

fn plane_is_on(machines: &[Machine], seen: &BTreeMap<MachineId, Observed<MachineSeen>>) -> bool {
    let on = |m: &&Machine| {
        seen.get(&m.id)
            .and_then(Observed::present)
            .is_some_and(|s| s.power == Power::On)
    };
    planes(machines).iter().any(on)
}

async fn volumes(world: &World, machines: &[Machine]) -> BTreeMap<VolumeId, Observed<()>> {
    let mut volumes = BTreeMap::new();
    for machine in machines {
        if let Role::ControlPlane { volume } = &machine.role {
            let seen = match world.volumes.observe(volume).await {
                Observed::Present(_) => Observed::Present(()),
                Observed::Absent => Observed::Absent,
                Observed::Unknown(why) => Observed::Unknown(why),
            };
            volumes.insert(volume.clone(), seen);
        }
    }
    volumes
}

/// Everything is there and nothing is near its end.
async fn keys_good(
    world: &World,
    cluster: &Cluster,
    machines: &[Machine],
    material: Option<&ClusterMaterial>,
) -> Result<bool, Fault> {
    let Some(material) = material else {
        return Ok(false);
    };
    let horizon = horizon(world);
    if material.expires()? < horizon {
        return Ok(false);
    }
    let recipe = recipes::pinned(world, &cluster.pins.recipe).await?;
    if engine_hosted::asks_the_platform(&recipe) && !identity::good_client(world, &cluster.id).await? {
        return Ok(false);
    }
    for machine in machines.iter().filter(|m| m.stays()) {
        match target::node_material(world, &machine.id).await? {
            Some(node) if node.expires()? >= horizon => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

pub(super) fn horizon(world: &World) -> Timestamp {
    world.clock.now().plus(RENEW_BEFORE_S)
}
