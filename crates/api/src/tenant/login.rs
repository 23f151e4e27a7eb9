//! Logging in, and who one is.

use serde::{Deserialize, Serialize};
use types::{
    Principal,
    tenant::{ROOT_USER, Role},
};

use super::GrantView;

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Login {
    pub email: String,
    pub password: String,
    /// The project the tokens speak for at clusters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// Taking up an invitation.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TakeUp {
    pub code: String,
    /// A new one, or one's own where the platform knows the address already.
    pub password: String,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct PasswordChange {
    pub current: String,
    pub password: String,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct PasswordResetRequest {
    pub code: String,
    pub password: String,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Refresh {
    pub refresh_token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Logout {
    pub refresh_token: String,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TokenPair {
    pub access_token: String,
    /// Seconds until the access token ends.
    pub expires_in: i64,
    /// Good once: the answer to a refresh carries the next.
    pub refresh_token: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct WhoAmI {
    pub id: String,
    pub name: String,
    pub grants: Vec<GrantView>,
}

impl WhoAmI {
    /// The holder of the token of the platform's first start.
    pub fn is_operator(&self) -> bool {
        self.id == ROOT_USER
    }

    pub fn is_platform_admin(&self) -> bool {
        let role = Role::PlatformAdmin.as_str();
        self.grants.iter().any(|grant| grant.role == role)
    }
}

impl From<&Principal> for WhoAmI {
    fn from(principal: &Principal) -> Self {
        let Principal {
            id,
            name,
            grants,
            token: _,
        } = principal;
        Self {
            id: id.clone(),
            name: name.clone(),
            grants: grants.iter().map(GrantView::from).collect(),
        }
    }
}
