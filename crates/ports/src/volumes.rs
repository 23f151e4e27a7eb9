//! Volumes: what must outlive a machine.

use std::path::PathBuf;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::{Bytes, Fault, VolumeId, status::Observed};

use crate::scan::Found;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VolumeDesired {
    pub id: VolumeId,
    pub size: Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VolumeObserved {
    pub source: PathBuf,
    pub size: Bytes,
}

#[async_trait]
pub trait Volumes: Send + Sync {
    /// Makes the volume with a file system on it, or finds it, with the size it has. Never formats one that exists.
    async fn ensure(&self, volume: &VolumeDesired) -> Result<VolumeObserved, Fault>;

    async fn observe(&self, id: &VolumeId) -> Observed<VolumeObserved>;

    /// Refused as a conflict while a machine has it.
    async fn remove(&self, id: &VolumeId) -> Result<(), Fault>;

    async fn scan(&self) -> Result<Vec<Found>, Fault>;
}
