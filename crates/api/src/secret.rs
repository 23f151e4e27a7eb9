//! Secrets of a project. Types that hold a value have no `Debug`.

use serde::{Deserialize, Serialize};
use types::kept_secret::{KeptSecret, SecretVersion};

use crate::moment;

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SecretCreate {
    pub name: String,
    /// In base 64; 64 KiB at most before that.
    pub value: String,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SecretUpdate {
    /// In base 64; 64 KiB at most before that.
    pub value: String,
}

/// Without a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SecretView {
    pub id: String,
    pub name: String,
    /// The newest.
    pub version: u32,
    /// Of the newest, in bytes.
    pub size: u32,
    pub created: String,
    pub updated: String,
    /// Those that are kept, the newest first.
    pub versions: Vec<SecretVersionView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SecretVersionView {
    pub version: u32,
    /// In bytes.
    pub size: u32,
    pub by: String,
    pub created: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SecretList {
    pub secrets: Vec<SecretView>,
}

#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SecretValue {
    pub name: String,
    pub version: u32,
    /// In base 64.
    pub value: String,
}

impl From<&KeptSecret> for SecretView {
    fn from(secret: &KeptSecret) -> Self {
        let KeptSecret {
            id,
            project: _,
            name,
            versions,
            created,
        } = secret;
        let newest = secret.newest();
        Self {
            id: id.to_string(),
            name: name.to_string(),
            version: newest.map_or(0, |newest| newest.number),
            size: newest.map_or(0, |newest| newest.size),
            created: moment::to_wire(*created),
            updated: moment::to_wire(newest.map_or(*created, |newest| newest.created)),
            versions: versions.iter().rev().map(SecretVersionView::from).collect(),
        }
    }
}

impl From<&SecretVersion> for SecretVersionView {
    fn from(version: &SecretVersion) -> Self {
        let SecretVersion {
            number,
            size,
            by,
            created,
        } = version;
        Self {
            version: *number,
            size: *size,
            by: by.clone(),
            created: moment::to_wire(*created),
        }
    }
}
