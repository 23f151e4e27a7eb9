//! What the driver remembers of a machine. It saves looking; nothing is believed without a look at the process itself.

use std::{
    io,
    path::{Path, PathBuf},
};

use ports::compute::Leader;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::error::{Context, MachineError, Result};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    pub leader: Leader,
    /// Start times count from the host's boot, so they mean something in that boot only.
    pub boot: String,
}

/// The configuration last laid in: its digest, and its paths, so that a file no longer wanted is taken away.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Laid {
    pub digest: String,
    pub paths: Vec<PathBuf>,
}

/// Nothing, if there is no such file or it does not parse: it is written again from what is seen.
pub fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

pub fn write<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let bytes = serde_json::to_vec(value).map_err(|_| MachineError::Record(path.to_owned()))?;
    let temporary = path.with_extension("making");
    std::fs::write(&temporary, bytes).doing("write", path)?;
    std::fs::rename(&temporary, path).doing("write", path)
}

pub fn boot_id() -> io::Result<String> {
    Ok(std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?
        .trim()
        .to_owned())
}
