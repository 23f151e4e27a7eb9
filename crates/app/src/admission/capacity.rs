//! Whether the host can hold what is asked for beside what it holds already.

use ports::compute::HostCapacity;
use types::{
    Bytes, Fault,
    catalogue::{Series, instance_type},
    machine::{Machine, Role},
};

use crate::Settings;

/// What a control plane really takes; its limit is higher, because limits are not reached at once.
const PLANE_MEMORY: Bytes = Bytes::mib(512);
/// Kept back for the host itself and the platform.
const HOST_MEMORY: Bytes = Bytes::mib(1024);

pub fn check(
    host: HostCapacity,
    settings: &Settings,
    present: &[Machine],
    wanted: &[Machine],
) -> Result<(), Fault> {
    let all = || present.iter().chain(wanted);
    let memory: u64 = all()
        .map(|m| counted_memory(m, settings.memory_overcommit).0)
        .sum();
    let room = host.memory.0.saturating_sub(HOST_MEMORY.0);
    if memory > room {
        let have: u64 = present
            .iter()
            .map(|m| counted_memory(m, settings.memory_overcommit).0)
            .sum();
        return Err(full(
            "memory",
            Bytes(memory - have),
            Bytes(room.saturating_sub(have)),
        ));
    }
    let vcpus = |machines: &mut dyn Iterator<Item = &Machine>| -> u64 {
        machines
            .filter(|m| m.is_worker())
            .map(|m| u64::from(m.size.vcpus))
            .sum()
    };
    let promised = vcpus(&mut all());
    let limit = (f64::from(host.cpus) * settings.cpu_overcommit).floor();
    if promised as f64 > limit {
        let have = vcpus(&mut present.iter());
        let left = (limit - have as f64).max(0.0);
        return Err(full("virtual CPUs", promised - have, left));
    }
    Ok(())
}

/// An amount as a person would say it.
fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / Bytes::gib(1).0 as f64)
}

fn full(what: &str, wanted: impl std::fmt::Display, left: impl std::fmt::Display) -> Fault {
    Fault::refused(
        "host-full",
        format!("the cluster's machines need {wanted} of {what}, the host has {left} left to give"),
        "ask for fewer or smaller workers, delete what is not needed, or raise the overcommit setting",
    )
}

fn counted_memory(machine: &Machine, overcommit: f64) -> Bytes {
    match machine.role {
        Role::ControlPlane { .. } => PLANE_MEMORY,
        Role::Worker { .. } => {
            let series = machine
                .instance_type
                .as_deref()
                .and_then(|t| instance_type(t).ok())
                .map(|t| t.series);
            match series {
                Some(Series::Overcommitted) => Bytes((machine.size.memory.0 as f64 / overcommit) as u64),
                _ => machine.size.memory,
            }
        }
    }
}
