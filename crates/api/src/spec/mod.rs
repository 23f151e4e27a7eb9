//! The cluster spec as it is written, in a file or a request: every field optional, nothing parsed yet.
//!
//! `parse` turns it into the domain's spec and names the field that is wrong; `show` is the way back. A field that
//! is not known is refused by its name, here already.

mod parse;
mod show;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::quantity::Quantity;

pub use parse::{cidr as parse_cidr, labels as parse_labels, name as parse_name};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterSpec {
    /// How the cluster is run: hosted (the default), kubeadm, k3s or cloud.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// A release line (v1.36, its newest patch) or one patch (v1.36.4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Name or id of the VPC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vpc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_class: Option<String>,
    /// How strictly pods of the project's namespace are looked at: baseline (the default) or restricted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_security: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranges: Option<Ranges>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control_plane: Option<ControlPlane>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub node_groups: BTreeMap<String, NodeGroup>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub addons: Option<Addons>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Ranges {
    /// Addresses of pods; 10.244.0.0/16 when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<String>,
    /// Addresses of services; 10.96.0.0/12 when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<String>,
    /// Ports of services on nodes; 30000-32767 when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_ports: Option<String>,
    /// DNS domain of the cluster; cluster.local when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ControlPlane {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_server: Option<Component>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_manager: Option<Component>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<Component>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub konnectivity: Option<Konnectivity>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Konnectivity {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Component>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Component {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// One of the presets nano, micro, small, medium, large, xlarge, 2xlarge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources_preset: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Resources {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Quantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Quantity>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct NodeGroup {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_replicas: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// Size of a node's disk; 20Gi when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ephemeral_storage: Option<Quantity>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<Gpu>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Gpu {
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Addons {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cert_manager: Option<Addon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cilium: Option<Addon>,
    #[serde(rename = "gatewayAPI", skip_serializing_if = "Option::is_none")]
    pub gateway_api: Option<Addon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ingress_nginx: Option<IngressNginx>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_operator: Option<Addon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fluxcd: Option<Addon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monitoring_agents: Option<Addon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertical_pod_autoscaler: Option<Addon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velero: Option<Addon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coredns: Option<Addon>,
}

/// Values handed to an addon's chart as they are.
pub type Values = serde_json::Map<String, serde_json::Value>;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Addon {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    #[cfg_attr(test, schema(value_type = Object))]
    pub values_override: Values,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct IngressNginx {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Proxied or LoadBalancer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expose_method: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    #[cfg_attr(test, schema(value_type = Object))]
    pub values_override: Values,
}
