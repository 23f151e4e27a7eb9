//! A secret that a project keeps with the platform: what may be seen of it. Its values are sealed and elsewhere.

use serde::{Deserialize, Serialize};

use crate::{KeptSecretId, Name, ProjectId, Timestamp};

/// Of one value.
pub const LARGEST: usize = 64 * 1024;
/// In one project.
pub const MOST: usize = 100;
/// Older ones are forgotten.
pub const VERSIONS: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptSecret {
    pub id: KeptSecretId,
    pub project: ProjectId,
    pub name: Name,
    /// The newest last; never empty.
    pub versions: Vec<SecretVersion>,
    pub created: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SecretVersion {
    /// From 1; never used again.
    pub number: u32,
    /// Bytes.
    pub size: u32,
    pub by: String,
    pub created: Timestamp,
}

impl KeptSecret {
    pub fn newest(&self) -> Option<&SecretVersion> {
        self.versions.last()
    }

    pub fn version(&self, number: u32) -> Option<&SecretVersion> {
        self.versions.iter().find(|version| version.number == number)
    }
}
