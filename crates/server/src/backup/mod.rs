//! A backup: what it takes for the platform to come back where its state directory was lost. One file, sealed under a
//! passphrase, because the master key is lost with that directory.
//!
//! In it, as a tar archive: `backup.json` (what it is), `platform.db` (a snapshot of one moment), `instance` (the mark that
//! everything of this platform on the host carries, by which running machines are found again), `auth/` (the master keys,
//! as their source keeps them, and the hash of the platform's token) and `client.toml`. Not in it: machines and volumes,
//! images that tenants loaded, and bundles. A master key that comes from the environment is not here to be kept.

mod make;
pub mod restore;

use std::fs::File;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::{Fault, Secret};

pub use make::StateBackup;

const DESCRIPTION: &str = "backup.json";
const DATABASE: &str = "platform.db";
const AUTH: &str = "auth";
/// Besides the database and `auth`.
const FILES: [&str; 2] = ["instance", "client.toml"];
const FORMAT: u32 = 1;

/// Makes backups, behind the route.
#[async_trait]
pub trait Backup: Send + Sync {
    /// A file without a name, at its beginning, gone when it is closed.
    async fn make(&self, passphrase: Secret) -> Result<File, Fault>;
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Description {
    format: u32,
    made: String,
    version: String,
}

fn failed(what: &str, error: impl std::fmt::Display) -> Fault {
    Fault::unavailable(
        "backup-failed",
        format!("{what}: {error}"),
        "make sure that the state directory is readable and its disk has room, then try again",
    )
}
