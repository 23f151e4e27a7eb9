//! One host in memory, shared by the fakes of all ports that touch it.

use std::{
    collections::BTreeMap,
    net::Ipv4Addr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use types::{Bytes, ClusterId, Fault, MachineId, NetworkId, PortId, VolumeId, machine::Power};

use super::{
    FakeBundles, FakeClusterApi, FakeCompute, FakeEdge, FakeNetwork, FakeVolumes, KillSwitch, Moment,
    cluster_api::ClusterState, compute::FakeMachine, network::VpcState,
};
use crate::{
    compute::HostCapacity,
    edge::{EdgeConfig, Visits},
    scan::Found,
    volumes::VolumeObserved,
};

/// A cheap handle; clones are the same world.
#[derive(Clone, Default)]
pub struct FakeWorld {
    state: Arc<Mutex<State>>,
    kill: KillSwitch,
}

pub(super) struct State {
    pub(super) machines: BTreeMap<MachineId, FakeMachine>,
    pub(super) networks: BTreeMap<NetworkId, VpcState>,
    pub(super) volumes: BTreeMap<VolumeId, VolumeObserved>,
    pub(super) edge: Option<EdgeConfig>,
    pub(super) edge_runs: bool,
    pub(super) visits: BTreeMap<ClusterId, Visits>,
    /// What the clusters' etcds hold, by the volume (or machine) it is on.
    pub(super) clusters: BTreeMap<String, ClusterState>,
    pub(super) planted: Vec<Found>,
    pub(super) capacity: HostCapacity,
    pub(super) hash: fn(&[u8]) -> String,
    effects: Vec<String>,
    faults: Vec<Planned>,
    last_pid: u32,
}

struct Planned {
    op: String,
    moment: Moment,
    fault: Fault,
}

impl Default for State {
    fn default() -> Self {
        Self {
            machines: BTreeMap::new(),
            networks: BTreeMap::new(),
            volumes: BTreeMap::new(),
            edge: None,
            edge_runs: true,
            visits: BTreeMap::new(),
            clusters: BTreeMap::new(),
            planted: Vec::new(),
            capacity: HostCapacity {
                cpus: 16,
                memory: Bytes::gib(64),
                disk_free: Bytes::gib(500),
            },
            hash: fnv,
            effects: Vec::new(),
            faults: Vec::new(),
            last_pid: 1000,
        }
    }
}

impl FakeWorld {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn compute(&self) -> FakeCompute {
        FakeCompute::new(self.clone())
    }

    pub fn network(&self) -> FakeNetwork {
        FakeNetwork::new(self.clone())
    }

    pub fn volumes(&self) -> FakeVolumes {
        FakeVolumes::new(self.clone())
    }

    pub fn edge(&self) -> FakeEdge {
        FakeEdge::new(self.clone())
    }

    pub fn cluster_api(&self) -> FakeClusterApi {
        FakeClusterApi::new(self.clone())
    }

    pub fn bundles(&self) -> FakeBundles {
        FakeBundles::new(self.clone())
    }

    /// Shared with the store of the same test, so that both die at once.
    pub fn kill_switch(&self) -> KillSwitch {
        self.kill.clone()
    }

    /// Every change the platform made to the world, in order: `<op> <id>: <what>`. A call that changed nothing is not
    /// here.
    pub fn effects(&self) -> Vec<String> {
        self.state().effects.clone()
    }

    pub fn clear_effects(&self) {
        self.state().effects.clear();
    }

    /// The next call of `op` (`compute.apply`, `network.remove`, `cluster_api.ready` …) fails and has no effect. An
    /// `observe` that fails is unknown.
    pub fn fail_next(&self, op: &str, fault: Fault) {
        self.state().faults.push(Planned {
            op: op.to_owned(),
            moment: Moment::Before,
            fault,
        });
    }

    /// The next call of `op` has its effect, but its answer is lost.
    pub fn fail_next_after(&self, op: &str, fault: Fault) {
        self.state().faults.push(Planned {
            op: op.to_owned(),
            moment: Moment::After,
            fault,
        });
    }

    /// The machine's first process dies, and takes the machine's interface with it.
    pub fn kill(&self, id: &MachineId) {
        self.state().power_off(id);
    }

    /// The machine's interface goes, and it runs on.
    pub fn unplug(&self, id: &MachineId) {
        self.state().lose_interfaces(id);
    }

    /// The edge's process ends, or is started again with the configuration it had.
    pub fn run_edge(&self, runs: bool) {
        self.state().edge_runs = runs;
    }

    /// The host restarts: no process, namespace or interface is left; disks and the edge's configuration are, without
    /// its keys.
    pub fn reboot(&self) {
        let mut state = self.state();
        let all: Vec<MachineId> = state.machines.keys().cloned().collect();
        all.iter().for_each(|id| state.power_off(id));
        state.networks.clear();
        let networks = state.edge.iter_mut().flat_map(|edge| &mut edge.networks);
        for serving in networks.filter_map(|network| network.serving.as_mut()) {
            serving.key_pem = None;
        }
    }

    /// Something with our mark that nobody remembers; scans find it until `clear_planted`.
    pub fn plant(&self, found: Found) {
        self.state().planted.push(found);
    }

    pub fn clear_planted(&self) {
        self.state().planted.clear();
    }

    pub fn set_capacity(&self, capacity: HostCapacity) {
        self.state().capacity = capacity;
    }

    /// The hash of the configuration digests, where a planner compares them with its own.
    pub fn hash_with(&self, hash: fn(&[u8]) -> String) {
        self.state().hash = hash;
    }

    /// A look: it may be made to fail, but nobody dies of it.
    pub(super) fn look<T>(
        &self,
        op: &str,
        work: impl FnOnce(&mut State) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut state = self.state();
        state.planned_fault(op, Moment::Before)?;
        let outcome = work(&mut state);
        state.planned_fault(op, Moment::After)?;
        outcome
    }

    /// A change, with a point to die at on either side.
    pub(super) async fn act<T: Send>(
        &self,
        op: &str,
        id: &str,
        work: impl FnOnce(&mut State) -> Result<T, Fault> + Send,
    ) -> Result<T, Fault> {
        let call = format!("{op} {id}");
        self.kill.pass(Moment::Before, &call).await;
        let outcome = self.look(op, work);
        self.kill.pass(Moment::After, &call).await;
        outcome
    }

    /// A panic elsewhere in a test must not hide what happened to the world.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    pub(super) fn effect(&mut self, op: &str, id: impl std::fmt::Display, what: &str) {
        self.effects.push(format!("{op} {id}: {what}"));
    }

    pub(super) fn next_pid(&mut self) -> u32 {
        self.last_pid += 1;
        self.last_pid
    }

    fn planned_fault(&mut self, op: &str, moment: Moment) -> Result<(), Fault> {
        let planned = self
            .faults
            .iter()
            .position(|planned| planned.op == op && planned.moment == moment);
        planned.map_or(Ok(()), |place| Err(self.faults.remove(place).fault))
    }

    pub(super) fn power_off(&mut self, id: &MachineId) {
        if let Some(machine) = self.machines.get_mut(id) {
            machine.leader = None;
        }
        self.lose_interfaces(id);
    }

    fn lose_interfaces(&mut self, id: &MachineId) {
        for network in self.networks.values_mut() {
            network.lose_interfaces_of(id);
        }
    }

    /// The network and port that a running machine's interface is on, if it is inside.
    pub(super) fn attachment(&self, id: &MachineId) -> Option<(&NetworkId, &PortId, u32)> {
        self.networks.iter().find_map(|(network, vpc)| {
            let (port, realm) = vpc.port_of(id)?;
            Some((network, port, realm))
        })
    }

    /// Machines that are on and attached, with their network and realm.
    pub(super) fn attached(&self) -> impl Iterator<Item = (&MachineId, &FakeMachine, &NetworkId, u32)> {
        self.machines.iter().filter_map(|(id, machine)| {
            let (network, _, realm) = self.attachment(id)?;
            (machine.power() == Power::On).then_some((id, machine, network, realm))
        })
    }

    pub(super) fn machine_at(
        &self,
        network: &NetworkId,
        address: Ipv4Addr,
    ) -> Option<(&MachineId, &FakeMachine, u32)> {
        self.attached()
            .find(|(_, machine, on, _)| *on == network && machine.desired.nic.address == address)
            .map(|(id, machine, _, realm)| (id, machine, realm))
    }
}

/// Enough to notice a change; not a digest anybody may trust.
pub(super) fn fnv(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("fnv:{hash:016x}")
}
