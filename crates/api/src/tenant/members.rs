//! Who has which role where, and inviting somebody to one.

use serde::{Deserialize, Serialize};
use types::tenant::{Grant, Invitation, Place};

use crate::moment;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct GrantView {
    /// `project_viewer`, `project_member`, `project_admin`, `org_admin` or `platform_admin`.
    pub role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

impl From<&Grant> for GrantView {
    fn from(grant: &Grant) -> Self {
        let (org, project) = match &grant.place {
            Place::Platform => (None, None),
            Place::Org(org) => (Some(org.to_string()), None),
            Place::Project(org, project) => (Some(org.to_string()), Some(project.to_string())),
        };
        Self {
            role: grant.role.to_string(),
            org,
            project,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Invite {
    pub email: String,
    pub role: String,
}

/// The code is shown this once.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct InvitedView {
    pub id: String,
    pub email: String,
    pub grant: GrantView,
    pub code: String,
    pub expires: String,
}

/// One that waits to be taken up; its code is not shown again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct InvitationView {
    pub id: String,
    pub email: String,
    pub grant: GrantView,
    pub invited_by: String,
    pub created: String,
    pub expires: String,
}

impl From<&Invitation> for InvitationView {
    fn from(invitation: &Invitation) -> Self {
        let Invitation {
            id,
            email,
            grant,
            code: _,
            invited_by,
            created,
            expires,
        } = invitation;
        Self {
            id: id.to_string(),
            email: email.to_string(),
            grant: GrantView::from(grant),
            invited_by: invited_by.clone(),
            created: moment::to_wire(*created),
            expires: moment::to_wire(*expires),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct InvitationList {
    pub invitations: Vec<InvitationView>,
}

/// The code is shown this once.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ResetView {
    pub email: String,
    pub code: String,
    pub expires: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct MemberView {
    pub id: String,
    pub email: String,
    /// Those held here.
    pub grants: Vec<GrantView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct MemberList {
    pub members: Vec<MemberView>,
}
