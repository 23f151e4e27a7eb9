//! Networks in memory. A port's interface is on the host, inside a machine, or gone with the machine that had it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use async_trait::async_trait;
use types::{Cidr, Fault, MachineId, NetworkId, PortId, status::Observed};

use super::{FakeWorld, world::State};
use crate::{
    compute::Nic,
    network::{Network, NetworkDesired, NetworkObserved, PortDesired},
    scan::{Found, FoundKind},
};

#[derive(Clone)]
pub struct FakeNetwork {
    world: FakeWorld,
}

pub(super) struct VpcState {
    desired: NetworkDesired,
    ends: BTreeMap<PortId, End>,
}

/// Where the interface of a port is. One that is gone has no entry.
enum End {
    Host,
    Inside(MachineId),
}

impl VpcState {
    pub(super) fn port_of(&self, machine: &MachineId) -> Option<(&PortId, u32)> {
        let inside = |end: &End| matches!(end, End::Inside(id) if id == machine);
        let port = self
            .ends
            .iter()
            .find(|(_, end)| inside(end))
            .map(|(port, _)| port)?;
        let realm = self.desired.ports.iter().find(|known| known.id == *port)?.realm;
        Some((port, realm))
    }

    pub(super) fn lose_interfaces_of(&mut self, machine: &MachineId) {
        self.ends
            .retain(|_, end| !matches!(end, End::Inside(id) if id == machine));
    }

    /// The port whose interface the machine now has; none when it is not on the host here.
    pub(super) fn take_interface(&mut self, nic: &Nic, machine: &MachineId) -> Result<Option<PortId>, Fault> {
        let ports = self.desired.ports.iter();
        let Some(port) = ports
            .into_iter()
            .find(|port| interface(&port.id) == nic.interface)
        else {
            return Ok(None);
        };
        if (port.mac, port.address) != (nic.mac, nic.address) {
            let cause = format!(
                "machine {machine} has {} where its port {} has {}",
                nic.address, port.id, port.address
            );
            return Err(Fault::internal("nic-mismatch", cause));
        }
        match self.ends.get_mut(&port.id) {
            Some(end @ End::Host) => {
                *end = End::Inside(machine.clone());
                Ok(Some(port.id.clone()))
            }
            Some(End::Inside(_)) | None => Ok(None),
        }
    }

    fn observed(&self) -> NetworkObserved {
        NetworkObserved {
            generation: self.desired.generation,
            namespace: namespace(&self.desired.id),
            ports: self.ends.keys().cloned().collect(),
        }
    }
}

impl FakeNetwork {
    pub(super) fn new(world: FakeWorld) -> Self {
        Self { world }
    }
}

const APPLY: &str = "network.apply";

/// Within the kernel's 15 characters.
fn interface(port: &PortId) -> String {
    format!("f{}", &port.tail()[..14])
}

fn namespace(id: &NetworkId) -> PathBuf {
    PathBuf::from(format!("/fake/netns/{id}"))
}

fn apply(state: &mut State, wanted: &NetworkDesired) -> Result<NetworkObserved, Fault> {
    check(wanted)?;
    let mut effects = Vec::new();
    let vpc = state.networks.entry(wanted.id.clone()).or_insert_with(|| {
        effects.push("make".to_owned());
        VpcState {
            desired: wanted.clone(),
            ends: BTreeMap::new(),
        }
    });
    if wanted.generation < vpc.desired.generation {
        let cause = format!(
            "generation {} of {} is in force",
            vpc.desired.generation, wanted.id
        );
        return Err(Fault::conflict(
            crate::network::STALE,
            cause,
            "plan again from what is stored now",
        ));
    }
    if vpc.desired != *wanted {
        effects.push(format!("generation {}", wanted.generation));
    }
    vpc.desired = wanted.clone();
    let names: BTreeSet<&PortId> = wanted.ports.iter().map(|port| &port.id).collect();
    vpc.ends.retain(|port, _| {
        let stays = names.contains(port);
        if !stays {
            effects.push(format!("unplug {port}"));
        }
        stays
    });
    for port in names {
        vpc.ends.entry(port.clone()).or_insert_with(|| {
            effects.push(format!("plug {port}"));
            End::Host
        });
    }
    let observed = vpc.observed();
    effects
        .iter()
        .for_each(|effect| state.effect(APPLY, &wanted.id, effect));
    Ok(observed)
}

/// What no network can be; a planner that asks for it has a defect.
fn check(wanted: &NetworkDesired) -> Result<(), Fault> {
    let refuse = |cause: String| {
        Err(Fault::invalid(
            "network-invalid",
            cause,
            "correct its ports and ranges",
        ))
    };
    let mut taken = BTreeSet::from([wanted.gateway]);
    if !taken.insert(wanted.platform_address) {
        return refuse(format!("{} is gateway and platform at once", wanted.gateway));
    }
    for (
        position,
        PortDesired {
            id,
            address,
            routes,
            realm,
            ..
        },
    ) in wanted.ports.iter().enumerate()
    {
        if !taken.insert(*address) || !wanted.cidr.contains(*address) {
            return refuse(format!("port {id} cannot have {address} in {}", wanted.cidr));
        }
        let before = &wanted.ports[..position];
        if before.iter().any(|other| other.id == *id) {
            return refuse(format!("port {id} is there twice"));
        }
        let of_realm = before.iter().filter(|other| other.realm == *realm);
        let taken: Vec<Cidr> = of_realm
            .flat_map(|other| other.routes.clone())
            .chain([wanted.cidr])
            .collect();
        if let Some(range) = routes
            .iter()
            .find(|range| taken.iter().any(|other| range.overlaps(*other)))
        {
            return refuse(format!("{range} behind port {id} is taken"));
        }
    }
    Ok(())
}

fn scan(state: &State) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (id, vpc) in &state.networks {
        let mut see = |what: FoundKind, name: String| {
            found.push(Found {
                what,
                name,
                owner: id.to_string(),
            })
        };
        see(FoundKind::Namespace, namespace(id).display().to_string());
        see(FoundKind::Table, format!("fake-{}", id.tail()));
        vpc.ends
            .keys()
            .for_each(|port| see(FoundKind::Interface, interface(port)));
    }
    let ours = |found: &&Found| match found.what {
        FoundKind::Namespace | FoundKind::Interface | FoundKind::Table => true,
        FoundKind::Process
        | FoundKind::Cgroup
        | FoundKind::Mount
        | FoundKind::File
        | FoundKind::LoopDevice => false,
    };
    found.extend(state.planted.iter().filter(ours).cloned());
    found
}

#[async_trait]
impl Network for FakeNetwork {
    async fn apply(&self, network: &NetworkDesired) -> Result<NetworkObserved, Fault> {
        self.world
            .act(APPLY, network.id.as_str(), |state| apply(state, network))
            .await
    }

    async fn observe(&self, id: &NetworkId) -> Observed<NetworkObserved> {
        match self.world.look("network.observe", |state| {
            Ok(state.networks.get(id).map(VpcState::observed))
        }) {
            Ok(Some(seen)) => Observed::Present(seen),
            Ok(None) => Observed::Absent,
            Err(fault) => Observed::Unknown(fault.to_string()),
        }
    }

    async fn remove(&self, id: &NetworkId) -> Result<(), Fault> {
        let remove = |state: &mut State| {
            if state.networks.remove(id).is_some() {
                state.effect("network.remove", id, "remove");
            }
            Ok(())
        };
        self.world.act("network.remove", id.as_str(), remove).await
    }

    fn interface(&self, port: &PortId) -> String {
        interface(port)
    }

    fn namespace(&self, id: &NetworkId) -> PathBuf {
        namespace(id)
    }

    fn mtu(&self) -> u32 {
        1500
    }

    async fn scan(&self) -> Result<Vec<Found>, Fault> {
        self.world.look("network.scan", |state| Ok(scan(state)))
    }
}
