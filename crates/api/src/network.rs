//! Networks on the wire; the CLI calls them VPCs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use types::network::Network;

use crate::{moment, operation::OperationView};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct NetworkCreate {
    pub name: String,
    /// As in Kubernetes; at most 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    /// An IPv4 range in canonical form, such as 10.20.0.0/16.
    pub cidr: String,
}

/// The body of a PUT; the name is in the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct NetworkApply {
    /// Of a network that exists, the one it has.
    pub cidr: String,
    /// As in Kubernetes; at most 64. Not given, they stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct NetworkView {
    pub id: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    pub cidr: String,
    /// The router's address.
    pub gateway: String,
    /// Where the platform's own services are reached from inside.
    pub platform_address: String,
    pub account: String,
    pub host: String,
    pub generation: u64,
    pub deleting: bool,
    pub created: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct NetworkList {
    pub networks: Vec<NetworkView>,
    /// Cursor of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The answer to a create: the network as it stands and the operation to follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct NetworkAccepted {
    pub network: NetworkView,
    pub operation: OperationView,
}

/// The answer to a PUT.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct NetworkApplied {
    pub network: NetworkView,
    /// Absent when there was nothing to make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationView>,
}

impl From<&Network> for NetworkView {
    fn from(network: &Network) -> Self {
        let Network {
            id,
            project: _,
            account,
            host,
            name,
            labels,
            cidr,
            generation,
            uplink: _,
            deleting,
            created,
        } = network;
        Self {
            id: id.to_string(),
            name: name.to_string(),
            labels: labels.clone().into(),
            cidr: cidr.to_string(),
            gateway: network.gateway().to_string(),
            platform_address: network.platform_address().to_string(),
            account: account.clone(),
            host: host.clone(),
            generation: *generation,
            deleting: *deleting,
            created: moment::to_wire(*created),
        }
    }
}
