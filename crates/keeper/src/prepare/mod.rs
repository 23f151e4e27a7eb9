//! What must be true inside a machine before anything else runs there. Every stage can be run again, and a stage that
//! fails does not keep the others from being done.

mod filesystems;
mod size;
mod sysctl;

use std::path::{Path, PathBuf};

use types::keeper::{MACHINE_PATH, MachineSetup};

use crate::network;

type AnyError = Box<dyn std::error::Error>;

#[derive(Debug, thiserror::Error)]
enum PrepareError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} does not describe a machine: {source}")]
    Parse {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("{0}")]
    Stages(String),
}

pub fn prepare() -> Result<(), AnyError> {
    let setup = read(Path::new(MACHINE_PATH))?;
    let stages: [(&str, Result<(), AnyError>); 4] = [
        ("file systems", filesystems::make_usable().map_err(Into::into)),
        ("size", size::show(&setup).map_err(Into::into)),
        ("network", network::configure(&setup).map_err(Into::into)),
        // After the interface is there: its own settings are made with it.
        ("kernel settings", sysctl::set().map_err(Into::into)),
    ];
    let failed: Vec<String> = stages
        .into_iter()
        .filter_map(|(stage, result)| result.err().map(|error| format!("{stage}: {error}")))
        .collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(PrepareError::Stages(failed.join("; ")).into())
    }
}

/// Only the interface, in the network namespace we were started in: for one that was put in while the machine runs.
pub fn network_of(machine: &Path) -> Result<(), AnyError> {
    Ok(network::configure(&read(machine)?)?)
}

fn read(path: &Path) -> Result<MachineSetup, PrepareError> {
    let text = std::fs::read(path).map_err(|source| PrepareError::Read {
        path: path.to_owned(),
        source,
    })?;
    serde_json::from_slice(&text).map_err(|source| PrepareError::Parse {
        path: path.to_owned(),
        source,
    })
}
