//! Node groups: their limits, names and sizes.

use types::{
    Bytes, Fault, Name,
    catalogue::{DEFAULT_INSTANCE_TYPE, instance_type},
    cluster::{ClusterSpec, DEFAULT_EPHEMERAL_STORAGE, NodeGroup},
    machine::Size,
};

use crate::allocate::NODE_PREFIX;

/// `<cluster>-<group>-<5 characters>` must fit into a host name.
const HOSTNAME_ROOM: usize = 63 - 7;
/// A node's system alone needs this much.
const LEAST_MEMORY: Bytes = Bytes::mib(512);
const LEAST_DISK: Bytes = Bytes::gib(2);

pub fn check(cluster: &Name, spec: &ClusterSpec) -> Result<(), Fault> {
    let mut nodes = 0u64;
    for (name, group) in &spec.node_groups {
        if cluster.as_str().len() + name.as_str().len() > HOSTNAME_ROOM {
            return Err(Fault::invalid(
                "group-name-long",
                format!(
                    "the names of cluster '{cluster}' and group '{name}' are too long together for a host name"
                ),
                format!("keep them within {HOSTNAME_ROOM} characters in all"),
            ));
        }
        if group.min() > group.max() {
            return Err(Fault::invalid(
                "group-limits",
                format!(
                    "nodeGroups.{name}: minReplicas {} is above maxReplicas {}",
                    group.min(),
                    group.max()
                ),
                "raise maxReplicas or lower minReplicas",
            ));
        }
        if !group.gpus.is_empty() {
            return Err(Fault::refused(
                "field-not-supported",
                format!("nodeGroups.{name}.gpus: this host has no GPUs to give"),
                "leave gpus out",
            ));
        }
        size_of(name, group)?;
        nodes += u64::from(group.max());
    }
    let room = spec.ranges.pods.size() >> (32 - NODE_PREFIX);
    if nodes > room {
        return Err(Fault::invalid(
            "pod-range-small",
            format!(
                "ranges.pods {} has room for {room} nodes, the groups allow {nodes}",
                spec.ranges.pods
            ),
            "give a larger pod range or lower maxReplicas",
        ));
    }
    Ok(())
}

/// What each machine of a group is, and the name of its instance type where nothing overrides it.
pub fn size_of(name: &Name, group: &NodeGroup) -> Result<(Size, Option<String>), Fault> {
    let type_name = group.instance_type.as_deref().unwrap_or(DEFAULT_INSTANCE_TYPE);
    let base = instance_type(type_name)?;
    if base.series.needs_exclusive_cores() {
        return Err(Fault::refused(
            "exclusive-cores",
            format!(
                "nodeGroups.{name}: {type_name} needs cores of its own, which this release does not give"
            ),
            "choose a type of the u1, o1, m1 or n1 series",
        ));
    }
    let vcpus = match group.resources.cpu {
        None => base.vcpus,
        Some(cpu) if cpu.0 > 0 && cpu.0.is_multiple_of(1000) && cpu.0 / 1000 <= 1024 => {
            u32::try_from(cpu.0 / 1000).unwrap_or(u32::MAX)
        }
        Some(cpu) => {
            return Err(Fault::invalid(
                "cpu-not-whole",
                format!("nodeGroups.{name}.resources.cpu is {cpu}"),
                "a node has whole CPUs: give 1, 2, 4 …",
            ));
        }
    };
    let memory = group.resources.memory.unwrap_or(base.memory);
    let disk = group.ephemeral_storage.unwrap_or(DEFAULT_EPHEMERAL_STORAGE);
    if memory < LEAST_MEMORY || disk < LEAST_DISK {
        return Err(Fault::invalid(
            "machine-too-small",
            format!("nodeGroups.{name}: {memory} of memory and {disk} of disk are too little for a node"),
            format!("give at least {LEAST_MEMORY} of memory and {LEAST_DISK} of disk"),
        ));
    }
    let plain = group.resources.cpu.is_none() && group.resources.memory.is_none();
    Ok((
        Size {
            vcpus,
            memory,
            disk: Some(disk),
        },
        plain.then(|| type_name.to_owned()),
    ))
}
