//! Machines. A driver makes the world agree with a `MachineDesired` and says what it sees.

use std::{net::Ipv4Addr, path::PathBuf};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::{
    Bytes, Fault, MachineId, Secret, VolumeId,
    machine::{Mac, Power, Size},
    status::Observed,
};

use crate::scan::Found;

/// Everything a machine is. Rendered just before it is applied: it carries secrets and is never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineDesired {
    pub id: MachineId,
    pub hostname: String,
    /// Directory tree the machine boots from; shared by many machines and never written to.
    pub image: PathBuf,
    pub init: Init,
    pub size: Size,
    pub nic: Nic,
    pub volumes: Vec<Attachment>,
    pub config: MachineConfig,
    pub power: Power,
}

/// What runs as the machine's first process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Init {
    /// A full system: worker nodes.
    Systemd,
    /// Our supervisor with the configuration at `types::keeper::CONFIG_PATH`: system machines.
    Keeper,
}

/// The machine's one interface. `Network::apply` leaves its host end under `interface`; the driver moves it in as `eth0`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Nic {
    pub interface: String,
    pub mac: Mac,
    pub address: Ipv4Addr,
    pub prefix_len: u8,
    pub gateway: Ipv4Addr,
    pub mtu: u32,
}

/// A volume mounted into the machine at boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    pub volume: VolumeId,
    /// The file or block device that `Volumes::ensure` answered.
    pub source: PathBuf,
    pub mount_at: PathBuf,
}

/// What is laid into the machine's root at boot, and refreshed in a running machine when it changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MachineConfig {
    pub files: Vec<FileEntry>,
    /// systemd units, with the names of those to start at boot. Only for `Init::Systemd`.
    pub units: Vec<Unit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Absolute, inside the machine.
    pub path: PathBuf,
    pub mode: u32,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Text(String),
    Secret(Secret),
    /// A file of the host, such as our own binary.
    HostFile(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub name: String,
    pub text: String,
    pub enabled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineObserved {
    pub power: Power,
    /// The machine's first process as the host sees it, and when it started (clock ticks since boot): the pair that
    /// identifies a process. Absent when it is off.
    pub leader: Option<Leader>,
    /// Digest of the configuration last laid in, so that a change is noticed. Empty when none was: nothing is laid into
    /// a machine that is off.
    pub config_digest: String,
    /// The interface is inside and up.
    pub attached: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Leader {
    pub pid: u32,
    pub start_time: u64,
}

/// What the host has for machines, and how it is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostCapacity {
    pub cpus: u32,
    pub memory: Bytes,
    pub disk_free: Bytes,
}

#[async_trait]
pub trait Compute: Send + Sync {
    /// Makes the machine be as desired: makes it, boots it, attaches its interface, refreshes changed files, or halts
    /// it. A running machine is never rebooted by this. Returns as soon as the first process runs. Whoever lacks its
    /// interface or a volume is refused and not made.
    async fn apply(&self, machine: &MachineDesired) -> Result<MachineObserved, Fault>;

    async fn observe(&self, id: &MachineId) -> Observed<MachineObserved>;

    /// Ends the machine and takes away every trace of it; volumes are only detached.
    async fn remove(&self, id: &MachineId) -> Result<(), Fault>;

    async fn capacity(&self) -> Result<HostCapacity, Fault>;

    /// The last lines of the machine's console; nothing for one that never ran.
    async fn console(&self, id: &MachineId, lines: usize) -> Result<String, Fault>;

    async fn scan(&self) -> Result<Vec<Found>, Fault>;
}

impl MachineConfig {
    /// The digest drivers report; computed here so that planner and driver agree. Secrets count with their content.
    pub fn digest(&self, hash: impl Fn(&[u8]) -> String) -> String {
        let mut all = Vec::new();
        for file in &self.files {
            all.extend_from_slice(file.path.as_os_str().as_encoded_bytes());
            all.extend_from_slice(&file.mode.to_le_bytes());
            match &file.content {
                Content::Text(text) => all.extend_from_slice(text.as_bytes()),
                Content::Secret(secret) => all.extend_from_slice(secret.expose()),
                Content::HostFile(path) => all.extend_from_slice(path.as_os_str().as_encoded_bytes()),
            }
            all.push(0);
        }
        for unit in &self.units {
            all.extend_from_slice(unit.name.as_bytes());
            all.extend_from_slice(unit.text.as_bytes());
            all.push(u8::from(unit.enabled));
        }
        hash(&all)
    }
}
