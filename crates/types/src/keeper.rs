//! What our supervisor is told: which processes to keep running in a system machine, and how a machine's one
//! interface is set up. Written by engines, read by the `cloud-keeper` binary, which is why it is here.

use std::{collections::BTreeMap, net::Ipv4Addr};

use serde::{Deserialize, Serialize};

use crate::{Bytes, MilliCpu};

/// Where the supervisor of a system machine finds its configuration.
pub const CONFIG_PATH: &str = "/etc/plasmacloud/keeper.json";
/// Where a machine's own network and limits are described, for `cloud-keeper prepare`.
pub const MACHINE_PATH: &str = "/etc/plasmacloud/machine.json";
/// Where the supervisor says how its processes are.
pub const STATUS_PATH: &str = "/run/plasmacloud/keeper-status.json";
/// Where the supervisor's binary is inside every machine.
pub const BINARY_PATH: &str = "/usr/lib/plasmacloud/cloud-keeper";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeeperConfig {
    /// Directory of the processes' logs, one file each, rotated.
    pub log_dir: String,
    /// Directories that live elsewhere, on a volume: made before the first process starts.
    #[serde(default)]
    pub links: Vec<Link>,
    pub processes: Vec<Process>,
}

/// `path` becomes a symbolic link to `target`, which is made as a directory if it is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Link {
    pub path: String,
    pub target: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Process {
    pub name: String,
    pub argv: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Start only when these answer.
    #[serde(default)]
    pub after: Vec<Gate>,
    #[serde(default)]
    pub limits: Limits,
}

/// A condition on the machine itself that must hold before a process is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// Something accepts connections at this loopback port.
    TcpPort(u16),
}

/// Shares inside the machine: a weight for CPU, a hard limit for memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    pub cpu: Option<MilliCpu>,
    pub memory: Option<Bytes>,
}

/// What `cloud-keeper prepare` makes true inside a machine before anything else runs there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MachineSetup {
    pub address: Ipv4Addr,
    pub prefix_len: u8,
    pub gateway: Ipv4Addr,
    pub mtu: u32,
    /// What the machine is to see as its own size.
    pub vcpus: u32,
    pub memory: Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeeperStatus {
    pub processes: Vec<ProcessStatus>,
    /// What was asked for and could not be done, such as a limit where the machine's cgroups are not writable.
    #[serde(default)]
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessStatus {
    pub name: String,
    pub pid: Option<u32>,
    pub restarts: u32,
    /// How the last one ended, in words.
    pub last_exit: Option<String>,
}
