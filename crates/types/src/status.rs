//! What is observed of a thing, apart from what is wanted of it.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// An observation. *Absent* is knowledge; *unknown* is the lack of it, and nothing may be destroyed on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observed<T> {
    Present(T),
    Absent,
    Unknown(String),
}

impl<T> Observed<T> {
    pub fn present(&self) -> Option<&T> {
        match self {
            Self::Present(value) => Some(value),
            Self::Absent | Self::Unknown(_) => None,
        }
    }

    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    pub kind: ConditionKind,
    pub holds: bool,
    pub reason: String,
    pub message: String,
    pub since: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ConditionKind {
    ControlPlaneReady,
    WorkersReady,
    EndpointPublished,
    CertificatesValid,
    /// The volume with the cluster's state is there, or was never made.
    DataPresent,
}

/// A cluster's life as its owner sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClusterPhase {
    Provisioning,
    Running,
    Updating,
    Degraded,
    Failed,
    /// Its data is gone from the host, and nothing is made in its place: put it back, or delete the cluster.
    Lost,
    Deleting,
}

impl ClusterPhase {
    /// Deleting is final, and nothing returns to provisioning; the rest is observation.
    pub fn may_become(self, next: Self) -> bool {
        use ClusterPhase::{Degraded, Deleting, Failed, Lost, Provisioning, Running, Updating};
        match (self, next) {
            (Deleting, Deleting) => true,
            (Deleting, Provisioning | Running | Updating | Degraded | Failed | Lost) => false,
            (Provisioning | Failed, Provisioning) => true,
            (Running | Updating | Degraded | Lost, Provisioning) => false,
            (
                Provisioning | Running | Updating | Degraded | Failed | Lost,
                Running | Updating | Degraded | Failed | Lost | Deleting,
            ) => true,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provisioning => "PROVISIONING",
            Self::Running => "RUNNING",
            Self::Updating => "UPDATING",
            Self::Degraded => "DEGRADED",
            Self::Failed => "FAILED",
            Self::Lost => "LOST",
            Self::Deleting => "DELETING",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MachinePhase {
    Pending,
    Running,
    /// Wanted on, found off; the reconciler is bringing it back.
    Down,
    Deleting,
}

impl MachinePhase {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
            Self::Down => "DOWN",
            Self::Deleting => "DELETING",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ClusterPhase::{self, Degraded, Deleting, Failed, Lost, Provisioning, Running, Updating};

    #[test]
    fn the_transitions_that_are_refused() {
        let all = [Provisioning, Running, Updating, Degraded, Failed, Lost, Deleting];
        let refused: Vec<(ClusterPhase, ClusterPhase)> = all
            .iter()
            .flat_map(|from| all.iter().map(move |to| (*from, *to)))
            .filter(|(from, to)| !from.may_become(*to))
            .collect();
        assert_eq!(
            refused,
            [
                (Running, Provisioning),
                (Updating, Provisioning),
                (Degraded, Provisioning),
                (Lost, Provisioning),
                (Deleting, Provisioning),
                (Deleting, Running),
                (Deleting, Updating),
                (Deleting, Degraded),
                (Deleting, Failed),
                (Deleting, Lost),
            ]
        );
    }
}
