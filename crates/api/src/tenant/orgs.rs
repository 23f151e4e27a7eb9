//! Organisations on the wire.

use serde::{Deserialize, Serialize};
use types::tenant::Organisation;

use super::{QuotaView, UsageLine};
use crate::moment;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct OrgCreate {
    pub name: String,
    /// How many projects its own administrators may make; 10 when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_projects: Option<u32>,
    /// What all its projects may have together; enough for a team when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<QuotaView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct OrgView {
    pub id: String,
    pub name: String,
    pub max_projects: u32,
    /// What all its projects may have together.
    pub quota: QuotaView,
    pub created: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct OrgList {
    pub orgs: Vec<OrgView>,
}

/// What all projects of an organisation have and may have together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct OrgUsageView {
    pub org: String,
    pub usage: Vec<UsageLine>,
}

impl From<&Organisation> for OrgView {
    fn from(org: &Organisation) -> Self {
        let Organisation {
            id,
            name,
            max_projects,
            quota,
            created,
        } = org;
        Self {
            id: id.to_string(),
            name: name.to_string(),
            max_projects: *max_projects,
            quota: QuotaView::from(quota),
            created: moment::to_wire(*created),
        }
    }
}
