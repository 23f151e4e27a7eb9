//! A machine: everything the platform runs for a tenant is one, on a port of a network.

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

use crate::{
    Bytes, Cidr, ClusterId, MachineId, Name, NetworkId, PortId, ProjectId, Timestamp, VolumeId,
    status::MachinePhase,
};

/// What a machine may use of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Size {
    pub vcpus: u32,
    pub memory: Bytes,
    /// Absent: the root is not limited (system machines, whose data is on volumes).
    pub disk: Option<Bytes>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Role {
    /// A system machine that the tenant does not see.
    ControlPlane {
        volume: VolumeId,
    },
    Worker {
        group: Name,
        pods: Cidr,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Power {
    On,
    Off,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Machine {
    pub id: MachineId,
    pub project: ProjectId,
    pub cluster: ClusterId,
    pub network: NetworkId,
    pub host: String,
    pub hostname: String,
    pub role: Role,
    pub instance_type: Option<String>,
    pub size: Size,
    pub port: PortId,
    pub mac: Mac,
    pub address: Ipv4Addr,
    pub power: Power,
    /// Set when the machine is to go; its row stays until nothing of it is left.
    pub deleting: bool,
    pub phase: MachinePhase,
    pub created: Timestamp,
}

impl Machine {
    /// A worker that its cluster is meant to have.
    pub fn stays(&self) -> bool {
        self.is_worker() && !self.deleting
    }

    pub fn is_worker(&self) -> bool {
        match self.role {
            Role::Worker { .. } => true,
            Role::ControlPlane { .. } => false,
        }
    }
}

/// A locally administered Ethernet address, derived from the port's id so that it never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mac([u8; 6]);

impl Mac {
    pub fn for_port(port: &PortId) -> Self {
        let hash = port
            .as_str()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        let [_, _, a, b, c, d, e, f] = hash.to_be_bytes();
        Self([(a & 0xfc) | 0x02, b, c, d, e, f])
    }
}

impl std::fmt::Display for Mac {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mac_is_stable_unicast_and_local() {
        let port: PortId = "port-0123456789abcdef".parse().unwrap();
        let mac = Mac::for_port(&port);
        assert_eq!(mac, Mac::for_port(&port));
        assert_eq!(mac.0[0] & 0x03, 0x02);
    }
}
