//! Who shares the platform: organisations with their projects, people and programs, and what each of them may do.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    Bytes, Email, InvitationId, Name, OrgId, ProjectId, ServiceAccountId, SessionId, Timestamp, TokenId,
    UserId,
};

/// From the least to the most: whoever holds one may do all that the ones before may, where it is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    ProjectViewer,
    ProjectMember,
    ProjectAdmin,
    /// Of every project of the organisation.
    OrgAdmin,
    /// Of the platform: its organisations, keys and hosts.
    PlatformAdmin,
}

impl Role {
    pub const ALL: [Self; 5] = [
        Self::ProjectViewer,
        Self::ProjectMember,
        Self::ProjectAdmin,
        Self::OrgAdmin,
        Self::PlatformAdmin,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::ProjectViewer => "project_viewer",
            Self::ProjectMember => "project_member",
            Self::ProjectAdmin => "project_admin",
            Self::OrgAdmin => "org_admin",
            Self::PlatformAdmin => "platform_admin",
        }
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is not a role")]
pub struct RoleError(String);

impl FromStr for Role {
    type Err = RoleError;
    fn from_str(given: &str) -> Result<Self, RoleError> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == given)
            .ok_or_else(|| RoleError(given.to_owned()))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Organisation {
    pub id: OrgId,
    pub name: Name,
    /// How many projects its own administrators may make.
    pub max_projects: u32,
    /// What all its projects may have together, whatever each of them may have.
    #[serde(default)]
    pub quota: Quota,
    pub created: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    pub id: ProjectId,
    pub org: OrgId,
    pub name: Name,
    pub quota: Quota,
    /// The principal that made it, as it is shown.
    pub created_by: String,
    pub created: Timestamp,
}

/// What a project, or an organisation, may have at once; nothing given, no limit but the host's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Quota {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vcpu: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Bytes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loadbalancers: Option<u32>,
}

/// A role, and where it is held.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    pub role: Role,
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    Platform,
    Org(OrgId),
    /// With its organisation, which never changes.
    Project(OrgId, ProjectId),
}

impl Place {
    pub fn org(&self) -> Option<&OrgId> {
        match self {
            Self::Platform => None,
            Self::Org(org) | Self::Project(org, _) => Some(org),
        }
    }

    pub fn project(&self) -> Option<&ProjectId> {
        match self {
            Self::Platform | Self::Org(_) => None,
            Self::Project(_, project) => Some(project),
        }
    }

    /// Whether this is the other place or a part of it.
    pub fn is_within(&self, other: &Self) -> bool {
        match other {
            Self::Platform => true,
            Self::Org(org) => self.org() == Some(org),
            Self::Project(..) => self == other,
        }
    }
}

/// The platform's first administrator, whoever holds the token of its first start: the one id that is not drawn.
pub const ROOT_USER: &str = "user-0000000000000000";

/// A person. The hash of the password is sealed and elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    pub id: UserId,
    pub email: Email,
    pub grants: Vec<Grant>,
    /// Wrong passwords in a row.
    pub failures: u32,
    pub locked_until: Option<Timestamp>,
    /// Tokens issued before are refused.
    pub not_before: Timestamp,
    pub created: Timestamp,
}

impl User {
    /// Every token issued until now is refused from now on. Tokens carry whole seconds, so this one's are refused too;
    /// the next is good from the next second on, also where this is the second time in one.
    pub fn end_tokens(&mut self, now: Timestamp) {
        self.not_before = now.max(self.not_before).plus(1);
    }
}

/// A grant that waits for whoever holds the code; taken up, it becomes part of the user. Inviting somebody tells nothing
/// of whether the platform knows them already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    pub id: InvitationId,
    pub email: Email,
    pub grant: Grant,
    /// SHA-256 of the code.
    pub code: String,
    pub invited_by: String,
    pub created: Timestamp,
    pub expires: Timestamp,
}

/// A new password for somebody who lost theirs, waiting for whoever holds the code. There is one of a person at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PasswordReset {
    pub id: UserId,
    /// SHA-256 of the code.
    pub code: String,
    pub expires: Timestamp,
}

/// A program's identity; it belongs to one project and holds one role there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccount {
    pub id: ServiceAccountId,
    pub org: OrgId,
    pub project: ProjectId,
    pub name: Name,
    pub role: Role,
    pub not_before: Timestamp,
    pub created: Timestamp,
}

/// A token somebody asked for by `cloud token create`. The token itself is kept nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IssuedToken {
    pub id: TokenId,
    pub project: ProjectId,
    /// The service account's id, or the user's.
    pub holder: String,
    pub holder_name: String,
    pub issued_by: String,
    pub created: Timestamp,
    pub expires: Timestamp,
    pub revoked: bool,
}

/// One login: a family of refresh tokens, of which only the newest is good. Whoever shows an older one was robbed or is
/// the robber, and the family ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    pub id: SessionId,
    pub user: UserId,
    /// SHA-256 of the refresh token that is good now.
    pub refresh: String,
    pub created: Timestamp,
    pub expires: Timestamp,
}
