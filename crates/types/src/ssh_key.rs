//! A public SSH key that somebody told the platform. It lets nobody in anywhere: certificates are made over it, for those
//! who may have one at that moment.

use serde::{Deserialize, Serialize};

use crate::{Name, SshKeyId, Timestamp};

/// Of one person.
pub const MOST: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SshKey {
    pub id: SshKeyId,
    /// The id of the user or the service account.
    pub owner: String,
    pub name: Name,
    /// As OpenSSH writes it, without a comment.
    pub public: String,
    /// `SHA256:…`
    pub fingerprint: String,
    pub created: Timestamp,
}

/// Whether somebody is about to hand over what they must keep. In doubt it is not: then it is no public key either.
pub fn looks_private(text: &str) -> bool {
    text.contains("PRIVATE KEY") || text.starts_with("PuTTY-User-Key-File")
}
