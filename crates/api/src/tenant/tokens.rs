//! Service accounts, their tokens, and tokens for clusters.

use serde::{Deserialize, Serialize};
use types::tenant::{IssuedToken, ServiceAccount};

use crate::moment;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ServiceAccountCreate {
    pub name: String,
    /// `project_member` when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ServiceAccountView {
    pub id: String,
    pub name: String,
    pub role: String,
    pub created: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ServiceAccountList {
    pub service_accounts: Vec<ServiceAccountView>,
    /// Cursor of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TokenCreate {
    /// Name or id.
    pub service_account: String,
    /// From 60 to 86400; an hour when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<i64>,
}

/// The token is shown this once.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TokenFresh {
    pub id: String,
    pub token: String,
    pub expires: String,
}

/// For one cluster's API alone.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ClusterTokenView {
    pub token: String,
    pub expires: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TokenView {
    pub id: String,
    pub holder: String,
    pub issued_by: String,
    pub created: String,
    pub expires: String,
    pub revoked: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TokenList {
    pub tokens: Vec<TokenView>,
    /// Cursor of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl From<&ServiceAccount> for ServiceAccountView {
    fn from(account: &ServiceAccount) -> Self {
        let ServiceAccount {
            id,
            org: _,
            project: _,
            name,
            role,
            not_before: _,
            created,
        } = account;
        Self {
            id: id.to_string(),
            name: name.to_string(),
            role: role.to_string(),
            created: moment::to_wire(*created),
        }
    }
}

impl From<&IssuedToken> for TokenView {
    fn from(token: &IssuedToken) -> Self {
        let IssuedToken {
            id,
            project: _,
            holder: _,
            holder_name,
            issued_by,
            created,
            expires,
            revoked,
        } = token;
        Self {
            id: id.to_string(),
            holder: holder_name.clone(),
            issued_by: issued_by.clone(),
            created: moment::to_wire(*created),
            expires: moment::to_wire(*expires),
            revoked: *revoked,
        }
    }
}
