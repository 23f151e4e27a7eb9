//! Clusters on the wire: what is asked, and what is shown of one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use types::{
    cluster::{Cluster, ClusterStatus, Pins},
    status::{self, Condition, ConditionKind},
};

use crate::{
    event::EventView, grant::ClusterGrantView, instance::InstanceView, moment, operation::OperationView,
    share::ClusterShareView, spec::ClusterSpec,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterCreate {
    pub name: String,
    /// As in Kubernetes; at most 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    pub spec: ClusterSpec,
}

/// The body of a PUT; the name is in the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterApply {
    /// As in Kubernetes; at most 64. Not given, they stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    pub spec: ClusterSpec,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterView {
    pub id: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    pub phase: ClusterPhase,
    /// Why it is in that phase, where that needs saying.
    pub reason: String,
    /// The exact version it was made with.
    pub version: String,
    pub engine: String,
    /// The VPC as its owner named it.
    pub vpc: String,
    pub network_id: String,
    /// The name under which the shared endpoint knows this cluster (`tls-server-name`).
    pub server_name: String,
    pub nodes_ready: u32,
    pub nodes_wanted: u32,
    pub conditions: Vec<ConditionView>,
    /// The size in force of each node group.
    pub scales: BTreeMap<String, u32>,
    pub pins: PinsView,
    pub generation: u64,
    pub observed_generation: u64,
    pub created: String,
    pub spec: ClusterSpec,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct PinsView {
    pub bundle: String,
    pub node_image: String,
    pub recipe: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub enum ClusterPhase {
    Provisioning,
    Running,
    Updating,
    Degraded,
    Failed,
    Lost,
    Deleting,
}

impl ClusterPhase {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provisioning => "PROVISIONING",
            Self::Running => "RUNNING",
            Self::Updating => "UPDATING",
            Self::Degraded => "DEGRADED",
            Self::Failed => "FAILED",
            Self::Lost => "LOST",
            Self::Deleting => "DELETING",
        }
    }
}

impl From<status::ClusterPhase> for ClusterPhase {
    fn from(phase: status::ClusterPhase) -> Self {
        match phase {
            status::ClusterPhase::Provisioning => Self::Provisioning,
            status::ClusterPhase::Running => Self::Running,
            status::ClusterPhase::Updating => Self::Updating,
            status::ClusterPhase::Degraded => Self::Degraded,
            status::ClusterPhase::Failed => Self::Failed,
            status::ClusterPhase::Lost => Self::Lost,
            status::ClusterPhase::Deleting => Self::Deleting,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ConditionView {
    pub kind: String,
    pub holds: bool,
    pub reason: String,
    pub message: String,
    pub since: String,
}

impl From<&Condition> for ConditionView {
    fn from(condition: &Condition) -> Self {
        let Condition {
            kind,
            holds,
            reason,
            message,
            since,
        } = condition;
        let kind = match kind {
            ConditionKind::ControlPlaneReady => "ControlPlaneReady",
            ConditionKind::WorkersReady => "WorkersReady",
            ConditionKind::EndpointPublished => "EndpointPublished",
            ConditionKind::CertificatesValid => "CertificatesValid",
            ConditionKind::DataPresent => "DataPresent",
        };
        Self {
            kind: kind.to_owned(),
            holds: *holds,
            reason: reason.clone(),
            message: message.clone(),
            since: moment::to_wire(*since),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterList {
    pub clusters: Vec<ClusterView>,
    /// Cursor of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// One cluster with what belongs to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterDetailView {
    pub cluster: ClusterView,
    /// Where its API is reached from outside.
    pub endpoint: String,
    pub instances: Vec<InstanceView>,
    /// Newest first.
    pub events: Vec<EventView>,
    /// Rights given in it to single people and programs.
    #[serde(default)]
    pub grants: Vec<ClusterGrantView>,
    /// Other projects that have a namespace in it.
    #[serde(default)]
    pub shares: Vec<ClusterShareView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterAccepted {
    pub cluster: ClusterView,
    /// Absent when there was nothing to change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ImageList {
    pub images: Vec<String>,
}

impl From<&Cluster> for ClusterView {
    fn from(cluster: &Cluster) -> Self {
        let Cluster {
            id,
            project: _,
            name,
            labels,
            network,
            spec,
            scales,
            pins,
            generation,
            realm: _,
            ..
        } = cluster;
        let Pins {
            version,
            bundle,
            node_image,
            recipe,
        } = pins;
        let ClusterStatus {
            phase,
            reason,
            observed_generation,
            conditions,
            ..
        } = &cluster.status;
        Self {
            id: id.to_string(),
            name: name.to_string(),
            labels: labels.clone().into(),
            phase: if cluster.deleting {
                ClusterPhase::Deleting
            } else {
                (*phase).into()
            },
            reason: reason.clone(),
            version: version.to_string(),
            engine: spec.engine.as_str().to_owned(),
            vpc: spec.vpc.clone(),
            network_id: network.to_string(),
            server_name: cluster.server_name.clone(),
            nodes_ready: cluster.status.nodes_ready,
            nodes_wanted: cluster.status.nodes_wanted,
            conditions: conditions.iter().map(ConditionView::from).collect(),
            scales: scales
                .iter()
                .map(|(group, scale)| (group.to_string(), scale.replicas))
                .collect(),
            pins: PinsView {
                bundle: bundle.clone(),
                node_image: node_image.clone(),
                recipe: recipe.clone(),
            },
            generation: *generation,
            observed_generation: *observed_generation,
            created: moment::to_wire(cluster.created),
            spec: ClusterSpec::from(spec),
        }
    }
}

/// Which administrator's kubeconfig: `admin.conf`, `admin.svc`, `super-admin.conf` or `super-admin.svc`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct CredentialsRequest {
    pub kind: String,
}
