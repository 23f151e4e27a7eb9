//! How much of its machine each component gets, and how large the machine is.

use types::{
    Bytes, MilliCpu,
    catalogue::resource_preset,
    cluster::{Component, ControlPlane},
    keeper::Limits,
    machine::Size,
};

pub(crate) const APISERVER_PRESET: &str = "medium";
pub(crate) const CONTROLLER_MANAGER_PRESET: &str = "micro";
pub(crate) const SCHEDULER_PRESET: &str = "micro";

/// etcd and the supervisor; no table gives them a size.
const REST: Bytes = Bytes::mib(1024);
const REST_CPU: MilliCpu = MilliCpu(500);

/// What was asked for, else the preset that was asked for, else the component's default preset.
pub(crate) fn limits(component: &Component, default_preset: &str) -> Limits {
    let name = component.resources_preset.as_deref().unwrap_or(default_preset);
    let preset = resource_preset(name).ok();
    Limits {
        cpu: component.resources.cpu.or(preset.map(|p| p.cpu)),
        memory: component.resources.memory.or(preset.map(|p| p.memory)),
    }
}

pub fn machine_size(plane: &ControlPlane) -> Size {
    let parts = [
        limits(&plane.api_server, APISERVER_PRESET),
        limits(&plane.controller_manager, CONTROLLER_MANAGER_PRESET),
        limits(&plane.scheduler, SCHEDULER_PRESET),
    ];
    let cpu: u64 = parts.iter().filter_map(|l| l.cpu).map(|c| c.0).sum::<u64>() + REST_CPU.0;
    let memory: u64 = parts.iter().filter_map(|l| l.memory).map(|m| m.0).sum::<u64>() + REST.0;
    Size {
        vcpus: u32::try_from(cpu.div_ceil(1000)).unwrap_or(u32::MAX),
        memory: Bytes(memory),
        disk: None,
    }
}
