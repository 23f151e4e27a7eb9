//! Instances: the machines a tenant sees. Control planes are machines too, and are not shown.

use serde::{Deserialize, Serialize};
use types::{
    machine::{Machine, Power, Role, Size},
    status::MachinePhase,
};

use crate::moment;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct InstanceView {
    pub id: String,
    /// Its host name, which is also its node's name.
    pub name: String,
    pub phase: InstancePhase,
    pub cluster_id: String,
    pub network_id: String,
    /// The node group, of a worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    pub vcpus: u32,
    pub memory: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<String>,
    pub address: String,
    pub mac: String,
    /// The range its pods get addresses from, of a worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pods: Option<String>,
    pub host: String,
    /// Whether it is wanted on.
    pub power: bool,
    pub created: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub enum InstancePhase {
    Pending,
    Running,
    Down,
    Deleting,
}

impl InstancePhase {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
            Self::Down => "DOWN",
            Self::Deleting => "DELETING",
        }
    }
}

impl From<MachinePhase> for InstancePhase {
    fn from(phase: MachinePhase) -> Self {
        match phase {
            MachinePhase::Pending => Self::Pending,
            MachinePhase::Running => Self::Running,
            MachinePhase::Down => Self::Down,
            MachinePhase::Deleting => Self::Deleting,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct InstanceList {
    pub instances: Vec<InstanceView>,
    /// Cursor of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl From<&Machine> for InstanceView {
    fn from(machine: &Machine) -> Self {
        let Machine {
            id,
            project: _,
            cluster,
            network,
            host,
            hostname,
            role,
            instance_type,
            size,
            ..
        } = machine;
        let Size { vcpus, memory, disk } = size;
        let (node_group, pods) = match role {
            Role::Worker { group, pods } => (Some(group.to_string()), Some(pods.to_string())),
            Role::ControlPlane { volume: _ } => (None, None),
        };
        Self {
            id: id.to_string(),
            name: hostname.clone(),
            phase: if machine.deleting {
                InstancePhase::Deleting
            } else {
                machine.phase.into()
            },
            cluster_id: cluster.to_string(),
            network_id: network.to_string(),
            node_group,
            instance_type: instance_type.clone(),
            vcpus: *vcpus,
            memory: memory.to_string(),
            disk: disk.map(|disk| disk.to_string()),
            address: machine.address.to_string(),
            mac: machine.mac.to_string(),
            pods,
            host: host.clone(),
            power: match machine.power {
                Power::On => true,
                Power::Off => false,
            },
            created: moment::to_wire(machine.created),
        }
    }
}
