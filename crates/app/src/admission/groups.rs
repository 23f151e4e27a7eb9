//! Node groups: their limits, names and sizes.

use types::{
    Bytes, Fault, Findings, Name,
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

pub fn check(cluster: &Name, spec: &ClusterSpec, found: &mut Findings) {
    let mut nodes = 0u64;
    for (name, group) in &spec.node_groups {
        let field = format!("spec.nodeGroups.{name}");
        if cluster.as_str().len() + name.as_str().len() > HOSTNAME_ROOM {
            found.note(
                Fault::unfit(
                    "group-name-long",
                    format!(
                        "the name of cluster '{cluster}' and this one are too long together for a host name"
                    ),
                    format!("keep them within {HOSTNAME_ROOM} characters in all"),
                )
                .at(&field),
            );
        }
        if group.min() > group.max() {
            found.note(
                Fault::unfit(
                    "group-limits",
                    format!("{} is above maxReplicas {}", group.min(), group.max()),
                    "raise maxReplicas or lower minReplicas",
                )
                .at(format!("{field}.minReplicas")),
            );
        }
        if !group.gpus.is_empty() {
            found.note(
                Fault::refused(
                    "field-not-supported",
                    "this host has no GPUs to give",
                    "leave gpus out",
                )
                .at(format!("{field}.gpus")),
            );
        }
        found.keep(size_of(name, group));
        nodes += u64::from(group.max());
    }
    let room = spec.ranges.pods.size() >> (32 - NODE_PREFIX);
    if nodes > room {
        found.note(
            Fault::unfit(
                "pod-range-small",
                format!(
                    "{} has room for {room} nodes, the groups allow {nodes}",
                    spec.ranges.pods
                ),
                "give a larger pod range or lower maxReplicas",
            )
            .at("spec.ranges.pods"),
        );
    }
}

/// What each machine of a group is, and the name of its instance type where nothing overrides it.
pub fn size_of(name: &Name, group: &NodeGroup) -> Result<(Size, Option<String>), Fault> {
    let type_name = group.instance_type.as_deref().unwrap_or(DEFAULT_INSTANCE_TYPE);
    let field = format!("spec.nodeGroups.{name}");
    let base = instance_type(type_name).map_err(|fault| fault.at(format!("{field}.instanceType")))?;
    if base.series.needs_exclusive_cores() {
        return Err(Fault::refused(
            "exclusive-cores",
            format!("{type_name} needs cores of its own, which this release does not give"),
            "choose a type of the u1, o1, m1 or n1 series",
        )
        .at(format!("{field}.instanceType")));
    }
    let vcpus = match group.resources.cpu {
        None => base.vcpus,
        Some(cpu) if cpu.0 > 0 && cpu.0.is_multiple_of(1000) && cpu.0 / 1000 <= 1024 => {
            u32::try_from(cpu.0 / 1000).unwrap_or(u32::MAX)
        }
        Some(cpu) => {
            return Err(Fault::unfit(
                "cpu-not-whole",
                format!("{cpu} is not a number of CPUs a node can have"),
                "a node has whole CPUs, up to 1024: give 1, 2, 4 …",
            )
            .at(format!("{field}.resources.cpu")));
        }
    };
    let memory = group.resources.memory.unwrap_or(base.memory);
    let disk = group.ephemeral_storage.unwrap_or(DEFAULT_EPHEMERAL_STORAGE);
    if memory < LEAST_MEMORY || disk < LEAST_DISK {
        let small = if memory < LEAST_MEMORY {
            "resources.memory"
        } else {
            "ephemeralStorage"
        };
        return Err(Fault::unfit(
            "machine-too-small",
            format!("{memory} of memory and {disk} of disk are too little for a node"),
            format!("give at least {LEAST_MEMORY} of memory and {LEAST_DISK} of disk"),
        )
        .at(format!("{field}.{small}")));
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
