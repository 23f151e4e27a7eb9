//! Clusters of the hosted engine.

use std::collections::BTreeMap;

use types::{
    MachineId, VolumeId,
    cluster::Cluster,
    machine::{Machine, Power, Role},
    status::Observed,
};

use crate::{Action, NetworkSeen, Step, departure};

pub struct ClusterDesired<'a> {
    pub cluster: &'a Cluster,
    pub machines: &'a [Machine],
    pub network_generation: u64,
    /// Digest of each machine's configuration as it would be rendered now; absent while its keys are not made.
    pub digests: BTreeMap<MachineId, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineSeen {
    pub power: Power,
    pub attached: bool,
    pub digest: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterObserved {
    /// Every key and certificate is there and not near its end.
    pub keys_good: bool,
    /// Anything secret or loaded is kept for the cluster.
    pub keys_kept: bool,
    pub network: Observed<NetworkSeen>,
    pub volumes: BTreeMap<VolumeId, Observed<()>>,
    pub machines: BTreeMap<MachineId, Observed<MachineSeen>>,
    pub published: bool,
    pub api: Observed<()>,
    /// Machines whose node is registered, has its range and labels, and is ready.
    pub admitted: Vec<MachineId>,
}

impl ClusterObserved {
    /// The world in which these machines, and all they need, are as they should be, for a preview.
    pub fn well(machines: &[Machine], network_generation: u64) -> Self {
        let on = |_: &Machine| {
            Observed::Present(MachineSeen {
                power: Power::On,
                attached: true,
                digest: String::new(),
            })
        };
        Self {
            keys_good: true,
            keys_kept: true,
            network: Observed::Present(NetworkSeen {
                generation: network_generation,
                ports: machines.iter().map(|m| m.port.clone()).collect(),
            }),
            volumes: planes(machines)
                .map(|(_, volume)| (volume.clone(), Observed::Present(())))
                .collect(),
            machines: machines.iter().map(|m| (m.id.clone(), on(m))).collect(),
            published: true,
            api: Observed::Present(()),
            admitted: machines.iter().map(|m| m.id.clone()).collect(),
        }
    }

    /// The world before anything was made, for a preview.
    pub fn nothing(network: NetworkSeen) -> Self {
        Self {
            keys_good: false,
            keys_kept: false,
            network: Observed::Present(network),
            volumes: BTreeMap::new(),
            machines: BTreeMap::new(),
            published: false,
            api: Observed::Absent,
            admitted: Vec::new(),
        }
    }
}

const API_PATIENCE_S: u64 = 120;
const NODE_PATIENCE_S: u64 = 240;
pub(crate) const MACHINE_PATIENCE_S: u64 = 60;

pub fn hosted(desired: &ClusterDesired<'_>, seen: &ClusterObserved) -> Vec<Step> {
    if desired.cluster.deleting {
        removal(desired, seen)
    } else if desired.cluster.held || lost(desired.cluster, desired.machines, seen).is_some() {
        Vec::new()
    } else {
        convergence(desired, seen)
    }
}

/// The volume with the state of a cluster that once ran is gone, and with it the state: a new, empty one in its place would
/// be another cluster under the same name. While its control plane runs, it still has it open.
pub fn lost<'a>(cluster: &Cluster, machines: &'a [Machine], seen: &ClusterObserved) -> Option<&'a VolumeId> {
    let is_gone = |(machine, volume): &(&Machine, &VolumeId)| {
        let runs = seen
            .machines
            .get(&machine.id)
            .and_then(Observed::present)
            .is_some_and(|seen| seen.power == Power::On);
        seen.volumes.get(*volume).is_some_and(Observed::is_absent) && !runs
    };
    let mut gone = planes(machines).filter(is_gone).map(|(_, volume)| volume);
    gone.next().filter(|_| cluster.status.progress.settled_once)
}

/// The steps of a creation from nothing.
pub fn preview(desired: &ClusterDesired<'_>, network: NetworkSeen) -> Vec<Step> {
    convergence(desired, &ClusterObserved::nothing(network))
}

pub(crate) fn machine_key(machine: &Machine) -> String {
    format!("machine/{}", machine.hostname)
}

fn convergence(desired: &ClusterDesired<'_>, seen: &ClusterObserved) -> Vec<Step> {
    let cluster = desired.cluster;
    let mut steps = Vec::new();
    let mut ground = Vec::new();
    let add = |steps: &mut Vec<Step>, step: Step| {
        let key = step.key.clone();
        steps.push(step);
        key
    };
    if !seen.keys_good {
        let step = Step::new(
            "keys",
            "issue keys and certificates",
            Action::IssueKeys(cluster.id.clone()),
        );
        ground.push(add(&mut steps, step));
    }
    if needs_network(desired, seen) {
        let step = Step::new(
            "network",
            "attach to the network",
            Action::ApplyNetwork(cluster.network.clone()),
        );
        ground.push(add(&mut steps, step));
    }
    let network_key = ground
        .iter()
        .filter(|key| *key == "network")
        .cloned()
        .collect::<Vec<_>>();
    let mut api_ground = Vec::new();
    if !seen.published {
        let step = Step::new("edge", "publish the endpoint", Action::PublishEdge).after(&network_key);
        api_ground.push(add(&mut steps, step));
    }
    let mut plane_started = Vec::new();
    for (machine, volume) in planes(desired.machines) {
        let mut before = ground.clone();
        if seen.volumes.get(volume).is_none_or(Observed::is_absent) && !cluster.status.progress.settled_once {
            let step = Step::new(
                "volume",
                "make the volume for etcd",
                Action::MakeVolume(volume.clone()),
            );
            before.push(add(&mut steps, step.on(&machine.host)));
        }
        if needs_start(desired, seen, machine) {
            let step = start(machine, "start the control plane").after(&before);
            plane_started.push(add(&mut steps, step));
        }
    }
    api_ground.extend(plane_started.iter().cloned());
    let mut api = Vec::new();
    if seen.api.present().is_none() {
        let step = Step::new("api", "wait for the API", Action::AwaitApi(cluster.id.clone()))
            .after(&api_ground)
            .patience_s(API_PATIENCE_S);
        api.push(add(&mut steps, step));
    }
    let mut services = api.clone();
    if cluster.status.progress.services != cluster.pins.recipe {
        let step = Step::new(
            "services",
            "install cluster services",
            Action::InstallServices(cluster.id.clone()),
        );
        services.push(add(&mut steps, step.after(&api).patience_s(MACHINE_PATIENCE_S)));
    }
    if cluster.status.progress.tenancy != cluster.pins.recipe {
        let step = Step::new(
            "tenancy",
            "make the project's namespace",
            Action::AwaitTenancy(cluster.id.clone()),
        );
        add(&mut steps, step.after(&services).patience_s(MACHINE_PATIENCE_S));
    }
    for machine in desired.machines.iter().filter(|m| m.is_worker() && !m.deleting) {
        let mut before = api.clone();
        if needs_start(desired, seen, machine) {
            let title = format!("start {}", machine.hostname);
            before.push(add(
                &mut steps,
                start(machine, &title).after(&ground).after(&plane_started),
            ));
        }
        if !seen.admitted.contains(&machine.id) {
            let title = format!("node {} ready", machine.hostname);
            let step = Step::new(
                format!("node/{}", machine.hostname),
                title,
                Action::AdmitNode(machine.id.clone()),
            );
            add(&mut steps, step.after(&before).patience_s(NODE_PATIENCE_S));
        }
    }
    steps.extend(departure::steps(desired, seen, &api));
    steps
}

fn planes(machines: &[Machine]) -> impl Iterator<Item = (&Machine, &VolumeId)> {
    machines.iter().filter_map(|machine| match &machine.role {
        Role::ControlPlane { volume } => Some((machine, volume)),
        Role::Worker { .. } => None,
    })
}

fn start(machine: &Machine, title: &str) -> Step {
    Step::new(
        machine_key(machine),
        title,
        Action::StartMachine(machine.id.clone()),
    )
    .on(&machine.host)
    .patience_s(MACHINE_PATIENCE_S)
}

fn needs_network(desired: &ClusterDesired<'_>, seen: &ClusterObserved) -> bool {
    match &seen.network {
        Observed::Present(network) => {
            network.generation < desired.network_generation
                || desired.machines.iter().any(|m| !network.ports.contains(&m.port))
        }
        Observed::Absent => true,
        Observed::Unknown(_) => false,
    }
}

/// Off, without its interface, or with files that are no longer right. Unknown is left alone.
fn needs_start(desired: &ClusterDesired<'_>, seen: &ClusterObserved, machine: &Machine) -> bool {
    match seen.machines.get(&machine.id) {
        None | Some(Observed::Absent) => true,
        Some(Observed::Unknown(_)) => false,
        Some(Observed::Present(seen)) => {
            seen.power == Power::Off
                || !seen.attached
                || desired
                    .digests
                    .get(&machine.id)
                    .is_some_and(|wanted| *wanted != seen.digest)
        }
    }
}

fn removal(desired: &ClusterDesired<'_>, seen: &ClusterObserved) -> Vec<Step> {
    let cluster = desired.cluster;
    let mut steps = Vec::new();
    let mut machines_gone = Vec::new();
    let mut everything = Vec::new();
    if !seen.published {
        steps.push(Step::new("edge", "withdraw the endpoint", Action::PublishEdge));
        everything.push("edge".to_owned());
    }
    for machine in desired.machines {
        if seen.machines.get(&machine.id).is_none_or(|m| !m.is_absent()) {
            let key = machine_key(machine);
            let title = format!("remove {}", machine.hostname);
            let step = Step::new(key.clone(), title, Action::RemoveMachine(machine.id.clone()));
            steps.push(step.on(&machine.host).patience_s(MACHINE_PATIENCE_S));
            machines_gone.push(key);
        }
    }
    for (machine, volume) in planes(desired.machines) {
        if seen.volumes.get(volume).is_none_or(|v| !v.is_absent()) {
            let step = Step::new(
                "volume",
                "remove the volume of etcd",
                Action::RemoveVolume(volume.clone()),
            );
            let own = machines_gone.iter().filter(|key| **key == machine_key(machine));
            steps.push(step.on(&machine.host).after(own));
            everything.push("volume".to_owned());
        }
    }
    let detached = match &seen.network {
        Observed::Present(network) => desired.machines.iter().all(|m| !network.ports.contains(&m.port)),
        Observed::Absent => true,
        Observed::Unknown(_) => false,
    };
    if !detached {
        let step = Step::new(
            "network",
            "detach from the network",
            Action::ApplyNetwork(cluster.network.clone()),
        );
        steps.push(step.after(&machines_gone));
        everything.push("network".to_owned());
    }
    if seen.keys_kept {
        let step = Step::new(
            "keys",
            "forget keys and images",
            Action::ForgetKeys(cluster.id.clone()),
        );
        steps.push(step.after(&machines_gone));
        everything.push("keys".to_owned());
    }
    everything.extend(machines_gone);
    steps.push(Step::new("finish", "check that nothing is left", Action::FinishDelete).after(&everything));
    steps
}

#[cfg(test)]
#[path = "hosted_tests.rs"]
mod tests;
