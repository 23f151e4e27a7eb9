//! An operation: the record of one generation of one thing converging, for the person who asked for it.

use serde::{Deserialize, Serialize};

use crate::{EventId, Fault, OperationId, ProjectId, Timestamp};

/// What an operation, task or event is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Subject {
    pub kind: SubjectKind,
    pub id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    Cluster,
    Network,
}

impl SubjectKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Network => "network",
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.kind.as_str(), self.id)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OperationKind {
    Create,
    Update,
    Delete,
}

impl OperationKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OperationState {
    Running,
    Succeeded,
    Failed,
    /// A newer generation, or deletion, took its place.
    Superseded,
    /// Stopped by its owner; what was made is held until it is retried or deleted.
    Cancelled,
}

impl OperationState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Superseded => "superseded",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn is_final(self) -> bool {
        match self {
            Self::Running => false,
            Self::Succeeded | Self::Failed | Self::Superseded | Self::Cancelled => true,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    pub id: OperationId,
    pub project: ProjectId,
    pub subject: Subject,
    /// The subject's name when the operation began: it may be gone when somebody looks.
    pub subject_name: String,
    pub kind: OperationKind,
    pub generation: u64,
    pub state: OperationState,
    pub steps: Vec<StepRecord>,
    pub fault: Option<Fault>,
    /// What the operation has to say at its end: for a delete, what was removed and what a scan found left.
    pub report: Vec<String>,
    pub started: Timestamp,
    /// The same moment to the millisecond since the epoch: what the steps' times count from.
    pub started_ms: i64,
    pub finished: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepState {
    Running,
    Done,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepRecord {
    pub key: String,
    pub title: String,
    pub state: StepState,
    pub attempts: u32,
    /// Milliseconds since the operation began.
    pub began_ms: u64,
    pub ended_ms: Option<u64>,
    pub fault: Option<Fault>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    pub id: EventId,
    pub project: ProjectId,
    pub subject: Subject,
    pub subject_name: String,
    pub severity: Severity,
    pub reason: String,
    pub message: String,
    pub at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Normal,
    Warning,
}
