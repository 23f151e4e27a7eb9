//! The clusters' APIs in memory. One answers when the edge has its route and a control-plane machine is on at the
//! route's address. What it holds is on that machine's volume, so that a new machine on the same volume goes on with it.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
};

use async_trait::async_trait;
use serde_json::Value;
use types::{
    Cidr, Fault, NetworkId, Secret,
    tenancy::{LAST_BINDING, TENANCY_PATH, Tenancy, project_namespace},
};

use super::{FakeWorld, compute::FakeMachine, webhook, world::State};
use crate::{
    cluster_api::{ApiTarget, ClusterApi, NodeSeen, NodeWanted},
    compute::{Content, Init, Leader},
};

#[derive(Clone)]
pub struct FakeClusterApi {
    world: FakeWorld,
}

#[derive(Default)]
pub(super) struct ClusterState {
    nodes: BTreeMap<String, Node>,
    /// Deleted while their kubelet ran: it registers again when it starts again.
    deleted: BTreeSet<(String, u32)>,
    objects: BTreeMap<String, Value>,
}

#[derive(Default)]
struct Node {
    pods: Option<Cidr>,
    labels: BTreeMap<String, String>,
    unschedulable: bool,
}

/// A control plane that answers: where its state is, and who is in reach of it.
struct Plane {
    state: String,
    network: NetworkId,
    realm: u32,
    /// What its controllers were told.
    tenancy: Option<Tenancy>,
    machine: types::MachineId,
}

impl FakeClusterApi {
    pub(super) fn new(world: FakeWorld) -> Self {
        Self { world }
    }

    /// What was applied to a cluster and is there now, as `<kind>/<namespace>/<name>`.
    pub fn objects(&self, target: &ApiTarget) -> Result<BTreeMap<String, Value>, Fault> {
        self.world.look("cluster_api.objects", |state| {
            Ok(cluster(state, target)?.1.objects.clone())
        })
    }
}

fn plane(state: &State, target: &ApiTarget) -> Option<Plane> {
    let edge = state
        .edge
        .as_ref()
        .filter(|edge| state.edge_runs && edge.endpoint == target.endpoint)?;
    let route = edge
        .routes
        .iter()
        .find(|route| route.server_name == target.server_name)?;
    let (id, machine, realm) = state.machine_at(&route.network, *route.backend.ip())?;
    let state = machine
        .desired
        .volumes
        .first()
        .map_or(id.to_string(), |attached| attached.volume.to_string());
    machine.is(Init::Keeper).then(|| Plane {
        state,
        network: route.network.clone(),
        realm,
        tenancy: told(machine),
        machine: id.clone(),
    })
}

fn told(machine: &FakeMachine) -> Option<Tenancy> {
    let mut files = machine.desired.config.files.iter();
    let file = files.find(|file| file.path.as_os_str() == TENANCY_PATH)?;
    match &file.content {
        Content::Text(text) => serde_json::from_str(text).ok(),
        Content::Secret(_) | Content::HostFile(_) => None,
    }
}

fn cluster<'a>(state: &'a mut State, target: &ApiTarget) -> Result<(Plane, &'a mut ClusterState), Fault> {
    let plane = plane(state, target).ok_or_else(|| unreachable(target.endpoint, &target.server_name))?;
    register(state, &plane);
    let cluster = state.clusters.entry(plane.state.clone()).or_default();
    Ok((plane, cluster))
}

/// Kubelets that run and were not seen before register.
fn register(state: &mut State, plane: &Plane) {
    let running: Vec<(String, u32)> = workers(state, plane)
        .filter_map(|machine| {
            Some((
                machine.desired.hostname.clone(),
                machine.leader.map(|leader: Leader| leader.pid)?,
            ))
        })
        .collect();
    let cluster = state.clusters.entry(plane.state.clone()).or_default();
    for (name, pid) in running {
        if !cluster.deleted.contains(&(name.clone(), pid)) {
            cluster.nodes.entry(name).or_default();
        }
    }
}

fn workers<'a>(state: &'a State, plane: &'a Plane) -> impl Iterator<Item = &'a FakeMachine> {
    let here = state
        .attached()
        .filter(|(_, _, network, realm)| **network == plane.network && *realm == plane.realm);
    here.map(|(_, machine, _, _)| machine)
        .filter(|machine| machine.is(Init::Systemd))
}

fn nodes(state: &mut State, target: &ApiTarget) -> Result<Vec<NodeSeen>, Fault> {
    let (plane, _) = cluster(state, target)?;
    let running: BTreeSet<&String> = workers(state, &plane)
        .map(|machine| &machine.desired.hostname)
        .collect();
    let known = state
        .clusters
        .get(&plane.state)
        .into_iter()
        .flat_map(|cluster| &cluster.nodes);
    let seen = known.map(|(name, node)| {
        let (ready, message) = match (running.contains(name), node.pods) {
            (true, Some(_)) => (true, "kubelet is posting ready status"),
            (true, None) => (
                false,
                "container runtime network not ready: cni plugin not initialized",
            ),
            (false, _) => (false, "Kubelet stopped posting node status."),
        };
        NodeSeen {
            name: name.clone(),
            ready,
            message: message.to_owned(),
            pods: node.pods,
            labels: node.labels.clone(),
            unschedulable: node.unschedulable,
        }
    });
    Ok(seen.collect())
}

fn adopt(state: &mut State, target: &ApiTarget, wanted: &NodeWanted) -> Result<(), Fault> {
    let (_, cluster) = cluster(state, target)?;
    let node = cluster
        .nodes
        .get_mut(&wanted.name)
        .ok_or_else(|| Fault::not_found("node", &wanted.name))?;
    if node.pods.is_some_and(|pods| pods != wanted.pods) {
        let cause = format!(
            "node {} has another pod range already; Kubernetes never changes one",
            wanted.name
        );
        return Err(Fault::conflict(
            "node-range-taken",
            cause,
            "delete the node first",
        ));
    }
    if node.pods == Some(wanted.pods)
        && wanted
            .labels
            .iter()
            .all(|label| node.labels.get(label.0) == Some(label.1))
    {
        return Ok(());
    }
    node.pods = Some(wanted.pods);
    node.labels.extend(wanted.labels.clone());
    state.effect("cluster_api.adopt_node", &wanted.name, "adopt");
    Ok(())
}

/// Its nodes have no pods: being taken out of scheduling is all there is to it.
fn drain(state: &mut State, target: &ApiTarget, name: &str) -> Result<Vec<String>, Fault> {
    let (_, cluster) = cluster(state, target)?;
    let Some(node) = cluster.nodes.get_mut(name).filter(|node| !node.unschedulable) else {
        return Ok(Vec::new());
    };
    node.unschedulable = true;
    state.effect("cluster_api.drain_node", name, "drain");
    Ok(Vec::new())
}

fn delete(state: &mut State, target: &ApiTarget, name: &str) -> Result<(), Fault> {
    let (plane, _) = cluster(state, target)?;
    let pid = workers(state, &plane)
        .find(|machine| machine.desired.hostname == name)
        .and_then(|machine| machine.leader);
    let (_, cluster) = cluster(state, target)?;
    if cluster.nodes.remove(name).is_some() {
        cluster
            .deleted
            .extend(pid.map(|leader| (name.to_owned(), leader.pid)));
        state.effect("cluster_api.delete_node", name, "delete");
    }
    Ok(())
}

/// What an object is kept under.
fn address(object: &Value) -> Result<String, Fault> {
    let field = |path: &str| match object.pointer(path).and_then(Value::as_str) {
        Some(text) if !text.is_empty() => Ok(text),
        _ => {
            let cause = format!("an object lacks its {path}");
            Err(Fault::internal("cluster-object-invalid", cause))
        }
    };
    field("/apiVersion")?;
    let (kind, name) = (field("/kind")?, field("/metadata/name")?);
    let namespace = field("/metadata/namespace").unwrap_or_default();
    Ok(format!("{kind}/{namespace}/{name}"))
}

fn apply(state: &mut State, target: &ApiTarget, objects: &[Value]) -> Result<(), Fault> {
    let mut keyed = Vec::new();
    for object in objects {
        keyed.push((address(object)?, object));
    }
    for (key, object) in keyed {
        let (_, cluster) = cluster(state, target)?;
        if cluster.objects.insert(key.clone(), object.clone()).as_ref() != Some(object) {
            state.effect("cluster_api.apply", key, "apply");
        }
    }
    Ok(())
}

/// Its controllers are as quick as everything here: what they would make is there.
fn has(state: &mut State, target: &ApiTarget, object: &Value) -> Result<bool, Fault> {
    let key = address(object)?;
    let (plane, found) = cluster(state, target)?;
    Ok(found.objects.contains_key(&key)
        || plane
            .tenancy
            .iter()
            .flat_map(|tenancy| &tenancy.projects)
            .any(|project| key == format!("RoleBinding/{}/{LAST_BINDING}", project_namespace(&project.id))))
}

fn unreachable(endpoint: SocketAddr, server_name: &str) -> Fault {
    let cause = format!("the API of {server_name} does not answer at {endpoint}");
    Fault::unavailable(
        "cluster-api-unavailable",
        cause,
        "the platform tries again by itself",
    )
}

#[async_trait]
impl ClusterApi for FakeClusterApi {
    async fn ready(&self, target: &ApiTarget) -> Result<bool, Fault> {
        self.world
            .look("cluster_api.ready", |state| Ok(plane(state, target).is_some()))
    }

    async fn nodes(&self, target: &ApiTarget) -> Result<Vec<NodeSeen>, Fault> {
        self.world.look("cluster_api.nodes", |state| nodes(state, target))
    }

    async fn apply(&self, target: &ApiTarget, objects: &[Value]) -> Result<(), Fault> {
        self.world
            .act("cluster_api.apply", &target.server_name, |state| {
                apply(state, target, objects)
            })
            .await
    }

    async fn has(&self, target: &ApiTarget, object: &Value) -> Result<bool, Fault> {
        self.world
            .look("cluster_api.has", |state| has(state, target, object))
    }

    async fn knows(&self, target: &ApiTarget, _token: &Secret) -> Result<bool, Fault> {
        self.world
            .act("cluster_api.knows", &target.server_name, |state| {
                let (plane, _) = cluster(state, target)?;
                webhook::ask(state, &plane.machine);
                Ok(false)
            })
            .await
    }

    async fn drain_node(&self, target: &ApiTarget, name: &str) -> Result<Vec<String>, Fault> {
        self.world
            .act("cluster_api.drain_node", name, |state| drain(state, target, name))
            .await
    }

    async fn adopt_node(&self, target: &ApiTarget, node: &NodeWanted) -> Result<(), Fault> {
        self.world
            .act("cluster_api.adopt_node", &node.name, |state| {
                adopt(state, target, node)
            })
            .await
    }

    async fn delete_node(&self, target: &ApiTarget, name: &str) -> Result<(), Fault> {
        self.world
            .act("cluster_api.delete_node", name, |state| {
                delete(state, target, name)
            })
            .await
    }
}
