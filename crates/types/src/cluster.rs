//! A cluster: what its owner asked for (`ClusterSpec`), what was fixed when it was made (`Pins`), what is seen of it.
//!
//! The spec carries every field of the parameter tables from the start. Fields are optional where "not given" and
//! "given" must be told apart: a value somebody set that no engine honours is refused, never ignored.

use std::{collections::BTreeMap, net::Ipv4Addr};

use serde::{Deserialize, Serialize};

use crate::{
    Bytes, Cidr, ClusterId, Labels, MilliCpu, Name, NetworkId, Patch, ProjectId, Timestamp,
    status::{ClusterPhase, Condition},
    tenancy::PodSecurity,
    version::Wanted,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    #[default]
    Hosted,
    Kubeadm,
    K3s,
    Cloud,
}

impl Engine {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hosted => "hosted",
            Self::Kubeadm => "kubeadm",
            Self::K3s => "k3s",
            Self::Cloud => "cloud",
        }
    }
}

/// What a person writes, in a file or by flags.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ClusterSpec {
    pub engine: Engine,
    pub version: Option<Wanted>,
    /// Name or id of the VPC.
    pub vpc: String,
    pub host: Option<String>,
    pub storage_class: Option<String>,
    /// How strictly pods of the project's namespace are looked at.
    pub pod_security: PodSecurity,
    pub ranges: Ranges,
    pub control_plane: ControlPlane,
    pub node_groups: BTreeMap<Name, NodeGroup>,
    pub addons: Addons,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Ranges {
    pub pods: Cidr,
    pub services: Cidr,
    pub node_ports: PortRange,
    pub domain: String,
}

impl Default for Ranges {
    fn default() -> Self {
        Self {
            pods: "10.244.0.0/16".parse().expect("valid"),
            services: "10.96.0.0/12".parse().expect("valid"),
            node_ports: PortRange {
                first: 30000,
                last: 32767,
            },
            domain: "cluster.local".to_owned(),
        }
    }
}

impl Ranges {
    /// The API's own service address.
    pub fn api_address(&self) -> Ipv4Addr {
        self.services.nth(1).expect("the range was checked at the edge")
    }

    pub fn dns_address(&self) -> Ipv4Addr {
        self.services.nth(10).expect("the range was checked at the edge")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PortRange {
    pub first: u16,
    pub last: u16,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is not a range of ports such as 30000-32767")]
pub struct PortRangeError(String);

impl TryFrom<String> for PortRange {
    type Error = PortRangeError;
    fn try_from(given: String) -> Result<Self, PortRangeError> {
        let parsed = given
            .split_once('-')
            .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parsed {
            Some((first, last)) if first > 0 && first <= last => Ok(Self { first, last }),
            _ => Err(PortRangeError(given)),
        }
    }
}

impl From<PortRange> for String {
    fn from(range: PortRange) -> String {
        format!("{}-{}", range.first, range.last)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ControlPlane {
    pub replicas: Option<u32>,
    pub api_server: Component,
    pub controller_manager: Component,
    pub scheduler: Component,
    pub konnectivity: Konnectivity,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Konnectivity {
    pub server: Component,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Component {
    pub resources: Resources,
    pub resources_preset: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Resources {
    pub cpu: Option<MilliCpu>,
    pub memory: Option<Bytes>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct NodeGroup {
    pub min_replicas: Option<u32>,
    pub max_replicas: Option<u32>,
    pub instance_type: Option<String>,
    pub ephemeral_storage: Option<Bytes>,
    pub roles: Vec<Name>,
    pub resources: Resources,
    pub gpus: Vec<Gpu>,
}

pub const DEFAULT_MIN_REPLICAS: u32 = 0;
pub const DEFAULT_MAX_REPLICAS: u32 = 10;
pub const DEFAULT_EPHEMERAL_STORAGE: Bytes = Bytes::gib(20);

impl NodeGroup {
    /// `--workers N`: a group whose size is fixed.
    pub fn of_fixed_size(workers: u32) -> Self {
        Self {
            min_replicas: Some(workers),
            max_replicas: Some(workers),
            ..Self::default()
        }
    }

    pub fn min(&self) -> u32 {
        self.min_replicas.unwrap_or(DEFAULT_MIN_REPLICAS)
    }

    pub fn max(&self) -> u32 {
        self.max_replicas
            .unwrap_or_else(|| DEFAULT_MAX_REPLICAS.max(self.min()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Gpu {
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Addons {
    pub cert_manager: Addon,
    pub cilium: Addon,
    #[serde(rename = "gatewayAPI")]
    pub gateway_api: Addon,
    pub ingress_nginx: IngressNginx,
    pub gpu_operator: Addon,
    pub fluxcd: Addon,
    pub monitoring_agents: Addon,
    pub vertical_pod_autoscaler: Addon,
    pub velero: Addon,
    pub coredns: Addon,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Addon {
    pub enabled: Option<bool>,
    pub values_override: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct IngressNginx {
    pub enabled: Option<bool>,
    pub expose_method: Option<ExposeMethod>,
    pub hosts: Vec<String>,
    pub values_override: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExposeMethod {
    Proxied,
    LoadBalancer,
}

/// What a cluster is made of, recorded at its creation. A newer platform renders it with these, not with its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pins {
    pub version: Patch,
    pub bundle: String,
    pub node_image: String,
    /// Digest of the flags, manifests and templates it is rendered from; the store keeps them.
    pub recipe: String,
}

/// The size in force of a node group, written by scaling, never by `apply`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scale {
    pub replicas: u32,
    pub generation: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cluster {
    pub id: ClusterId,
    pub project: ProjectId,
    pub name: Name,
    #[serde(default)]
    pub labels: Labels,
    pub network: NetworkId,
    pub spec: ClusterSpec,
    pub scales: BTreeMap<Name, Scale>,
    pub pins: Pins,
    pub generation: u64,
    /// Keeps equal pod ranges of clusters in one network apart.
    pub realm: u32,
    /// The name under which the shared endpoint knows this cluster.
    pub server_name: String,
    pub deleting: bool,
    /// Its creation was cancelled: it stays as it is until it is retried or deleted.
    #[serde(default)]
    pub held: bool,
    pub status: ClusterStatus,
    pub created: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterStatus {
    pub phase: ClusterPhase,
    pub reason: String,
    pub observed_generation: u64,
    pub conditions: Vec<Condition>,
    pub nodes_ready: u32,
    pub nodes_wanted: u32,
    pub progress: Progress,
}

/// Facts established by steps that leave nothing to observe from outside.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Progress {
    /// Recipe whose services were installed into the cluster; empty before the first.
    pub services: String,
    /// Recipe with which the project's namespace was seen to be there; empty before the first.
    pub tenancy: String,
    /// The cluster has been RUNNING at least once.
    pub settled_once: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_are_refused_by_name() {
        let error = serde_json::from_str::<ClusterSpec>(r#"{"vpc":"lab","wrokers":2}"#).unwrap_err();
        assert!(error.to_string().contains("wrokers"), "{error}");
    }

    #[test]
    fn port_ranges_are_ordered_and_start_above_zero() {
        assert!(PortRange::try_from("30000-32767".to_owned()).is_ok());
        for bad in ["0-10", "10", "20-10", "a-b", "1-70000"] {
            assert!(PortRange::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_group_without_limits_has_the_tables_defaults() {
        assert_eq!((NodeGroup::default().min(), NodeGroup::default().max()), (0, 10));
        assert_eq!(
            (
                NodeGroup::of_fixed_size(2).min(),
                NodeGroup::of_fixed_size(2).max()
            ),
            (2, 2)
        );
    }
}
