//! Machines in memory: they boot at once, need their port and volumes as real ones do, and can be killed.

use std::path::Path;

use async_trait::async_trait;
use types::{Fault, MachineId, machine::Power, status::Observed};

use super::{FakeWorld, world::State};
use crate::{
    compute::{Compute, Content, HostCapacity, Init, Leader, MachineDesired, MachineObserved},
    scan::{Found, FoundKind},
};

#[derive(Clone)]
pub struct FakeCompute {
    world: FakeWorld,
}

pub(super) struct FakeMachine {
    pub(super) desired: MachineDesired,
    pub(super) leader: Option<Leader>,
    config_digest: String,
}

impl FakeMachine {
    pub(super) fn power(&self) -> Power {
        if self.leader.is_some() {
            Power::On
        } else {
            Power::Off
        }
    }

    pub(super) fn is(&self, init: Init) -> bool {
        self.desired.init == init
    }
}

impl FakeCompute {
    pub(super) fn new(world: FakeWorld) -> Self {
        Self { world }
    }

    pub fn kill(&self, id: &MachineId) {
        self.world.kill(id);
    }

    /// What was laid into a machine that runs.
    pub fn file(&self, id: &MachineId, path: &Path) -> Option<Content> {
        let found = self.world.look("compute.file", |state| {
            let machine = state
                .machines
                .get(id)
                .filter(|machine| machine.power() == Power::On);
            let files = machine
                .into_iter()
                .flat_map(|machine| &machine.desired.config.files);
            Ok(files
                .filter(|file| file.path == path)
                .map(|file| file.content.clone())
                .next())
        });
        found.ok().flatten()
    }
}

const APPLY: &str = "compute.apply";

fn apply(state: &mut State, wanted: &MachineDesired) -> Result<MachineObserved, Fault> {
    let id = &wanted.id;
    if wanted.power == Power::On {
        check_config(wanted)?;
        check_volumes(state, wanted)?;
        plug_in(state, wanted)?;
    }
    if !state.machines.contains_key(id) {
        state.machines.insert(
            id.clone(),
            FakeMachine {
                desired: wanted.clone(),
                leader: None,
                config_digest: String::new(),
            },
        );
        state.effect(APPLY, id, "make");
    }
    let (pid, digest) = (state.next_pid(), wanted.config.digest(state.hash));
    let Some(machine) = state.machines.get_mut(id) else {
        return Err(absent(id));
    };
    machine.desired.power = wanted.power;
    let changed = machine.config_digest != digest;
    // Nothing is laid into a machine that is off.
    if wanted.power == Power::On {
        machine.config_digest = digest;
        machine.desired.config = wanted.config.clone();
    }
    match (machine.power(), wanted.power) {
        (Power::Off, Power::On) => {
            // Only a boot takes in what a running machine cannot change.
            machine.desired = wanted.clone();
            machine.leader = Some(Leader {
                pid,
                start_time: u64::from(pid) * 100,
            });
            state.effect(APPLY, id, "boot");
        }
        (Power::On, Power::Off) => {
            state.power_off(id);
            state.effect(APPLY, id, "halt");
        }
        (Power::On, Power::On) if changed => state.effect(APPLY, id, "refresh"),
        (Power::On, Power::On) | (Power::Off, Power::Off) => {}
    }
    observe(state, id).ok_or_else(|| absent(id))
}

fn check_config(wanted: &MachineDesired) -> Result<(), Fault> {
    let refuse = |cause: String| {
        Err(Fault::invalid(
            "machine-config-invalid",
            cause,
            "it was rendered wrongly",
        ))
    };
    if wanted.init == Init::Keeper && !wanted.config.units.is_empty() {
        return refuse("units were given for a machine that has no systemd".to_owned());
    }
    match wanted.config.files.iter().find(|file| !file.path.is_absolute()) {
        Some(file) => refuse(format!("'{}' is not an absolute path", file.path.display())),
        None => Ok(()),
    }
}

fn check_volumes(state: &State, wanted: &MachineDesired) -> Result<(), Fault> {
    for attachment in &wanted.volumes {
        let there = state
            .volumes
            .get(&attachment.volume)
            .is_some_and(|volume| volume.source == attachment.source);
        if !there {
            let cause = format!(
                "volume {} is not at {}",
                attachment.volume,
                attachment.source.display()
            );
            return Err(Fault::unavailable(
                "volume-missing",
                cause,
                "make the volume first",
            ));
        }
        let other = state.machines.iter().find(|(id, machine)| {
            **id != wanted.id
                && machine.power() == Power::On
                && machine
                    .desired
                    .volumes
                    .iter()
                    .any(|theirs| theirs.volume == attachment.volume)
        });
        if let Some((other, _)) = other {
            let cause = format!("volume {} is in use by machine {other}", attachment.volume);
            return Err(Fault::conflict("volume-in-use", cause, "end that machine first"));
        }
    }
    Ok(())
}

/// Moves the host end of the port inside, if it is not there already.
fn plug_in(state: &mut State, wanted: &MachineDesired) -> Result<(), Fault> {
    let running = state
        .machines
        .get(&wanted.id)
        .is_some_and(|machine| machine.power() == Power::On);
    if running && state.attachment(&wanted.id).is_some() {
        return Ok(());
    }
    let mut taken = None;
    for network in state.networks.values_mut() {
        taken = taken.or(network.take_interface(&wanted.nic, &wanted.id)?);
    }
    if taken.is_none() {
        let cause = format!(
            "there is no interface {} for machine {}",
            wanted.nic.interface, wanted.id
        );
        return Err(Fault::unavailable(
            "interface-missing",
            cause,
            "apply the machine's network first",
        ));
    }
    if running {
        state.effect(APPLY, &wanted.id, "attach");
    }
    Ok(())
}

fn observe(state: &State, id: &MachineId) -> Option<MachineObserved> {
    let machine = state.machines.get(id)?;
    Some(MachineObserved {
        power: machine.power(),
        leader: machine.leader,
        config_digest: machine.config_digest.clone(),
        attached: machine.power() == Power::On && state.attachment(id).is_some(),
    })
}

fn absent(id: &MachineId) -> Fault {
    Fault::internal("machine-absent", format!("machine {id} is not in the world"))
}

fn remove(state: &mut State, id: &MachineId) {
    state.power_off(id);
    if state.machines.remove(id).is_some() {
        state.clusters.remove(id.as_str());
        state.effect("compute.remove", id, "remove");
    } else {
        // What was planted came up while the machine was being taken away: only a further removal meets it.
        state.planted.retain(|found| found.owner != id.as_str());
    }
}

fn scan(state: &State) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (id, machine) in &state.machines {
        let mut see = |what: FoundKind, name: String| {
            found.push(Found {
                what,
                name,
                owner: id.to_string(),
            })
        };
        see(FoundKind::File, format!("/fake/machines/{id}"));
        if let Some(leader) = machine.leader {
            see(FoundKind::Process, leader.pid.to_string());
            see(FoundKind::Cgroup, format!("/fake/cgroup/{id}"));
            see(FoundKind::Mount, format!("/fake/machines/{id}/root"));
        }
    }
    let ours = |found: &&Found| match found.what {
        FoundKind::Process | FoundKind::Cgroup | FoundKind::Mount | FoundKind::File => true,
        FoundKind::Namespace | FoundKind::Interface | FoundKind::Table | FoundKind::LoopDevice => false,
    };
    found.extend(state.planted.iter().filter(ours).cloned());
    found
}

#[async_trait]
impl Compute for FakeCompute {
    async fn apply(&self, machine: &MachineDesired) -> Result<MachineObserved, Fault> {
        self.world
            .act(APPLY, machine.id.as_str(), |state| apply(state, machine))
            .await
    }

    async fn observe(&self, id: &MachineId) -> Observed<MachineObserved> {
        match self.world.look("compute.observe", |state| Ok(observe(state, id))) {
            Ok(Some(seen)) => Observed::Present(seen),
            Ok(None) => Observed::Absent,
            Err(fault) => Observed::Unknown(fault.to_string()),
        }
    }

    async fn remove(&self, id: &MachineId) -> Result<(), Fault> {
        let remove = |state: &mut State| {
            remove(state, id);
            Ok(())
        };
        self.world.act("compute.remove", id.as_str(), remove).await
    }

    async fn capacity(&self) -> Result<HostCapacity, Fault> {
        self.world.look("compute.capacity", |state| Ok(state.capacity))
    }

    async fn console(&self, id: &MachineId, lines: usize) -> Result<String, Fault> {
        self.world.look("compute.console", |state| {
            let Some(machine) = state
                .machines
                .get(id)
                .filter(|machine| !machine.config_digest.is_empty())
            else {
                return Ok(String::new());
            };
            let said = ["starting", "ready"].map(|word| format!("{} {word}", machine.desired.hostname));
            Ok(said[said.len().saturating_sub(lines)..].join("\n"))
        })
    }

    async fn scan(&self) -> Result<Vec<Found>, Fault> {
        self.world.look("compute.scan", |state| Ok(scan(state)))
    }
}
