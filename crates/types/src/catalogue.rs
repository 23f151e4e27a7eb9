//! The sizes a tenant can choose from: instance types for machines, presets for control-plane components.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Fault, MilliCpu};

/// What a series promises beside its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Series {
    /// Shares cores and may burst.
    Universal,
    /// As universal, and its memory is counted with an overcommit factor.
    Overcommitted,
    /// Cores of its own.
    ComputeExclusive,
    Memory,
    Network,
    Gpu,
    /// Cores of its own, on hosts able to run real-time work.
    RealTime,
}

impl Series {
    /// Whether a machine of this series must be the only user of its cores.
    pub fn needs_exclusive_cores(self) -> bool {
        match self {
            Self::ComputeExclusive | Self::RealTime => true,
            Self::Universal | Self::Overcommitted | Self::Memory | Self::Network | Self::Gpu => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct InstanceType {
    pub name: &'static str,
    pub series: Series,
    pub vcpus: u32,
    pub memory: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Preset {
    pub name: &'static str,
    pub cpu: MilliCpu,
    pub memory: Bytes,
}

const fn row(name: &'static str, series: Series, vcpus: u32, memory_mib: u64) -> InstanceType {
    InstanceType {
        name,
        series,
        vcpus,
        memory: Bytes::mib(memory_mib),
    }
}

const fn preset(name: &'static str, milli_cpu: u64, memory_mib: u64) -> Preset {
    Preset {
        name,
        cpu: MilliCpu(milli_cpu),
        memory: Bytes::mib(memory_mib),
    }
}

pub const DEFAULT_INSTANCE_TYPE: &str = "u1.medium";

#[rustfmt::skip]
pub const INSTANCE_TYPES: [InstanceType; 48] = [
    row("cx1.2xlarge", Series::ComputeExclusive, 8, 16384),
    row("cx1.4xlarge", Series::ComputeExclusive, 16, 32768),
    row("cx1.8xlarge", Series::ComputeExclusive, 32, 65536),
    row("cx1.large", Series::ComputeExclusive, 2, 4096),
    row("cx1.medium", Series::ComputeExclusive, 1, 2048),
    row("cx1.xlarge", Series::ComputeExclusive, 4, 8192),
    row("gn1.2xlarge", Series::Gpu, 8, 32768),
    row("gn1.4xlarge", Series::Gpu, 16, 65536),
    row("gn1.8xlarge", Series::Gpu, 32, 131072),
    row("gn1.xlarge", Series::Gpu, 4, 16384),
    row("m1.2xlarge", Series::Memory, 8, 65536),
    row("m1.4xlarge", Series::Memory, 16, 131072),
    row("m1.8xlarge", Series::Memory, 32, 262144),
    row("m1.large", Series::Memory, 2, 16384),
    row("m1.xlarge", Series::Memory, 4, 32768),
    row("n1.2xlarge", Series::Network, 16, 32768),
    row("n1.4xlarge", Series::Network, 32, 65536),
    row("n1.8xlarge", Series::Network, 64, 131072),
    row("n1.large", Series::Network, 4, 8192),
    row("n1.medium", Series::Network, 4, 4096),
    row("n1.xlarge", Series::Network, 8, 16384),
    row("o1.2xlarge", Series::Overcommitted, 8, 32768),
    row("o1.4xlarge", Series::Overcommitted, 16, 65536),
    row("o1.8xlarge", Series::Overcommitted, 32, 131072),
    row("o1.large", Series::Overcommitted, 2, 8192),
    row("o1.medium", Series::Overcommitted, 1, 4096),
    row("o1.micro", Series::Overcommitted, 1, 1024),
    row("o1.nano", Series::Overcommitted, 1, 512),
    row("o1.small", Series::Overcommitted, 1, 2048),
    row("o1.xlarge", Series::Overcommitted, 4, 16384),
    row("rt1.2xlarge", Series::RealTime, 8, 32768),
    row("rt1.4xlarge", Series::RealTime, 16, 65536),
    row("rt1.8xlarge", Series::RealTime, 32, 131072),
    row("rt1.large", Series::RealTime, 2, 8192),
    row("rt1.medium", Series::RealTime, 1, 4096),
    row("rt1.micro", Series::RealTime, 1, 1024),
    row("rt1.small", Series::RealTime, 1, 2048),
    row("rt1.xlarge", Series::RealTime, 4, 16384),
    row("u1.2xlarge", Series::Universal, 8, 32768),
    row("u1.2xmedium", Series::Universal, 2, 4096),
    row("u1.4xlarge", Series::Universal, 16, 65536),
    row("u1.8xlarge", Series::Universal, 32, 131072),
    row("u1.large", Series::Universal, 2, 8192),
    row("u1.medium", Series::Universal, 1, 4096),
    row("u1.micro", Series::Universal, 1, 1024),
    row("u1.nano", Series::Universal, 1, 512),
    row("u1.small", Series::Universal, 1, 2048),
    row("u1.xlarge", Series::Universal, 4, 16384),
];

pub const PRESETS: [Preset; 7] = [
    preset("nano", 250, 128),
    preset("micro", 500, 256),
    preset("small", 1000, 512),
    preset("medium", 1000, 1024),
    preset("large", 2000, 2048),
    preset("xlarge", 4000, 4096),
    preset("2xlarge", 8000, 8192),
];

pub fn instance_type(name: &str) -> Result<&'static InstanceType, Fault> {
    INSTANCE_TYPES.iter().find(|t| t.name == name).ok_or_else(|| {
        let known: Vec<_> = INSTANCE_TYPES.iter().map(|t| t.name).collect();
        Fault::unfit(
            "instance-type-unknown",
            format!("there is no instance type '{name}'"),
            format!("choose one of {}", known.join(", ")),
        )
    })
}

pub fn resource_preset(name: &str) -> Result<&'static Preset, Fault> {
    PRESETS.iter().find(|p| p.name == name).ok_or_else(|| {
        let known: Vec<_> = PRESETS.iter().map(|p| p.name).collect();
        Fault::unfit(
            "preset-unknown",
            format!("there is no resources preset '{name}'"),
            format!("choose one of {}", known.join(", ")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_ratios_hold() {
        let mut names: Vec<_> = INSTANCE_TYPES.iter().map(|t| t.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 48);
        assert_eq!(instance_type("cx1.large").unwrap().memory, Bytes::gib(4));
        assert_eq!(instance_type("m1.8xlarge").unwrap().memory, Bytes::gib(256));
        assert_eq!(instance_type("u1.nano").unwrap().memory, Bytes::mib(512));
        assert!(instance_type("rt1.micro").unwrap().series.needs_exclusive_cores());
        assert!(instance_type("u1.giant").unwrap_err().remedy.contains("u1.micro"));
    }
}
