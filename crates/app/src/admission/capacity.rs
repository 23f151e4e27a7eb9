//! Whether the host can hold what is asked for beside what it holds already.

use ports::compute::HostCapacity;
use types::{
    Bytes, Fault,
    catalogue::{Series, instance_type},
    cluster::ClusterSpec,
    machine::{Machine, Role},
};

use super::groups::size_of;
use crate::Settings;

/// What a control plane really takes; its limit is higher, because limits are not reached at once.
const PLANE_MEMORY: Bytes = Bytes::mib(512);
/// Kept back for the host itself and the platform.
const HOST_MEMORY: Bytes = Bytes::mib(1024);

/// Disks grow as they are written to; this much a machine has written when it is up, its first images included.
const MACHINE_DISK: Bytes = Bytes::mib(512);
/// Kept back on the disk: a platform that cannot write its books cannot even delete.
const HOST_DISK: Bytes = Bytes::gib(1);

/// What a cluster's machines come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    vcpus: u64,
    memory: u64,
    machines: u64,
}

impl Demand {
    pub fn of_spec(spec: &ClusterSpec, memory_overcommit: f64) -> Result<Self, Fault> {
        let mut demand = Self {
            vcpus: 0,
            memory: PLANE_MEMORY.0,
            machines: 1,
        };
        for (name, group) in &spec.node_groups {
            let (size, instance_type) = size_of(name, group)?;
            let count = u64::from(group.min());
            demand.machines += count;
            demand.vcpus += count * u64::from(size.vcpus);
            demand.memory += count * counted(size.memory, instance_type.as_deref(), memory_overcommit).0;
        }
        Ok(demand)
    }

    pub fn of_machines(machines: &[Machine], memory_overcommit: f64) -> Self {
        let mut demand = Self {
            vcpus: 0,
            memory: 0,
            machines: 0,
        };
        for machine in machines {
            demand.machines += 1;
            match machine.role {
                Role::ControlPlane { .. } => demand.memory += PLANE_MEMORY.0,
                Role::Worker { .. } => {
                    let instance_type = machine.instance_type.as_deref();
                    demand.vcpus += u64::from(machine.size.vcpus);
                    demand.memory += counted(machine.size.memory, instance_type, memory_overcommit).0;
                }
            }
        }
        demand
    }
}

pub fn check(
    host: HostCapacity,
    settings: &Settings,
    present: &[Machine],
    wanted: Demand,
) -> Result<(), Fault> {
    let have = Demand::of_machines(present, settings.memory_overcommit);
    let memory_left = host
        .memory
        .0
        .saturating_sub(HOST_MEMORY.0)
        .saturating_sub(have.memory);
    if wanted.memory > memory_left {
        return Err(full("memory", gib(wanted.memory), gib(memory_left)));
    }
    let promised = (f64::from(host.cpus) * settings.cpu_overcommit).floor() as u64;
    let vcpus_left = promised.saturating_sub(have.vcpus);
    if wanted.vcpus > vcpus_left {
        return Err(full("virtual CPUs", wanted.vcpus, vcpus_left));
    }
    // What present machines wrote is gone from what is free already.
    let disk = wanted.machines * MACHINE_DISK.0;
    let disk_left = host.disk_free.0.saturating_sub(HOST_DISK.0);
    if disk > disk_left {
        return Err(full("disk", gib(disk), gib(disk_left)));
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
        "ask for fewer or smaller workers, free some of it, or, where it is shared, raise the overcommit setting",
    )
}

/// Memory of the O series is counted with the overcommit factor.
fn counted(memory: Bytes, type_name: Option<&str>, overcommit: f64) -> Bytes {
    let series = type_name
        .and_then(|name| instance_type(name).ok())
        .map(|t| t.series);
    if series == Some(Series::Overcommitted) {
        Bytes((memory.0 as f64 / overcommit) as u64)
    } else {
        memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_what_is_left() {
        let host = HostCapacity {
            cpus: 2,
            memory: Bytes::gib(8),
            disk_free: Bytes::gib(100),
        };
        let settings = Settings {
            api_names: None,
            issuer: String::new(),
            endpoint: ([127, 0, 0, 1], 6443).into(),
            bundle_cache: "/".into(),
            controllers: "/usr/lib/plasmacloud/cloud-controllers".into(),
            cpu_overcommit: 8.0,
            memory_overcommit: 2.0,
        };
        let demand = |group: &str| {
            let spec: ClusterSpec =
                serde_json::from_str(&format!(r#"{{"nodeGroups":{{"default":{group}}}}}"#)).unwrap();
            Demand::of_spec(&spec, settings.memory_overcommit).unwrap()
        };
        let verdict = |group| check(host, &settings, &[], demand(group)).map_err(|fault| fault.cause);
        assert!(verdict(r#"{"minReplicas":6,"instanceType":"u1.micro"}"#).is_ok());
        assert!(
            verdict(r#"{"minReplicas":7,"instanceType":"u1.micro"}"#)
                .unwrap_err()
                .contains("7.0 GiB left")
        );
        assert!(verdict(r#"{"minReplicas":7,"instanceType":"o1.micro"}"#).is_ok());
        let wide = r#"{"minReplicas":5,"instanceType":"n1.medium","resources":{"memory":"512Mi"}}"#;
        assert!(verdict(wide).unwrap_err().contains("20 of virtual CPUs"));
        let cramped = HostCapacity {
            disk_free: Bytes::gib(2),
            ..host
        };
        let two = demand(r#"{"minReplicas":2,"instanceType":"u1.nano"}"#);
        let refused = check(cramped, &settings, &[], two).unwrap_err();
        assert!(refused.cause.contains("1.5 GiB of disk"), "{refused}");
    }
}
