//! What the platform says of a cluster's tenants: a file it lays into the control plane and replaces when it changes.

use std::{fs, io, path::Path};

use types::tenancy::Tenancy;

#[derive(Debug, thiserror::Error)]
pub enum ToldError {
    #[error("the file could not be read")]
    Read(#[source] io::Error),
    #[error("the file does not parse")]
    Parse(#[source] serde_json::Error),
}

pub fn read(path: &Path) -> Result<Tenancy, ToldError> {
    let text = fs::read(path).map_err(ToldError::Read)?;
    serde_json::from_slice(&text).map_err(ToldError::Parse)
}
