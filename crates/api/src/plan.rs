//! What a change would do, told before it is done.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::spec::ClusterSpec;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct PlanRequest {
    pub name: String,
    /// As in Kubernetes; at most 64. Not given, they stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    pub spec: ClusterSpec,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct PlanView {
    pub changes: ChangeView,
    pub steps: Vec<PlannedStepView>,
    pub impact: ImpactView,
    /// What else somebody should know before saying yes.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub enum ChangeView {
    Create,
    Update,
    None,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct PlannedStepView {
    pub title: String,
    pub detail: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ImpactView {
    /// Names of the nodes that would be replaced.
    pub nodes_replaced: Vec<String>,
    /// Whether the cluster's API would be away for a while.
    pub api_downtime: bool,
}
