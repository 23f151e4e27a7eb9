//! The nouns of the platform. Everything here is a value: no clock, no file, no socket.
//! Raw input is parsed into these types once, at the edge; nothing further in sees a raw string.

pub mod access;
pub mod audit;
pub mod catalogue;
pub mod cidr;
pub mod cluster;
pub mod email;
pub mod fault;
pub mod findings;
pub mod grant;
pub mod id;
pub mod keeper;
pub mod kept_secret;
pub mod kubeconfig;
pub mod label;
pub mod machine;
pub mod name;
pub mod network;
pub mod operation;
pub mod quantity;
#[cfg(feature = "testing")]
pub mod sample;
pub mod secret;
pub mod selector;
pub mod share;
pub mod ssh_key;
pub mod status;
pub mod tenancy;
pub mod tenant;
pub mod version;

pub use access::{Access, Principal};
pub use cidr::Cidr;
pub use email::Email;
pub use fault::{Fault, FaultKind, FieldFault};
pub use findings::Findings;
pub use id::{
    ClusterId, EventId, GrantId, InvitationId, KeptSecretId, MachineId, NetworkId, OperationId, OrgId,
    PortId, ProjectId, RequestId, ServiceAccountId, SessionId, ShareId, SshKeyId, TokenId, UserId, VolumeId,
};
pub use label::Labels;
pub use name::Name;
pub use quantity::{Bytes, MilliCpu};
pub use secret::Secret;
pub use version::{Line, Patch};

/// Seconds since the epoch: the platform's stored time. Formatting belongs to whoever shows it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    pub fn plus(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds))
    }
}
