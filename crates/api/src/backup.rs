//! Asking for a backup.

use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct BackupRequest {
    /// What the file is sealed under; at least 12 characters. Without it the file opens for nobody.
    #[cfg_attr(test, schema(format = Password, min_length = 12))]
    pub passphrase: String,
}

impl std::fmt::Debug for BackupRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BackupRequest").finish_non_exhaustive()
    }
}
