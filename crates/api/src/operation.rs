//! Operations on the wire: what is followed after every `202`, whole in each answer and in each watch event.

use serde::{Deserialize, Serialize};
use types::operation::{Operation, OperationKind, OperationState, StepRecord, StepState};

use crate::{moment, problem::FaultView};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct OperationView {
    pub id: String,
    pub kind: OperationKindView,
    /// `cluster` or `network`
    pub subject_kind: String,
    pub subject_id: String,
    /// Its name when the operation began: it may be gone by now.
    pub subject_name: String,
    pub generation: u64,
    pub state: OperationStateView,
    pub steps: Vec<StepView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultView>,
    /// What the operation has to say at its end: for a delete, what was removed and what a scan found left.
    pub report: Vec<String>,
    pub started: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub enum OperationKindView {
    Create,
    Update,
    Delete,
}

impl OperationKindView {
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
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub enum OperationStateView {
    Running,
    Succeeded,
    Failed,
    /// A newer generation, or deletion, took its place.
    Superseded,
    /// Stopped by its owner; what was made is held until it is retried or deleted.
    Cancelled,
}

impl OperationStateView {
    pub fn is_final(self) -> bool {
        match self {
            Self::Running => false,
            Self::Succeeded | Self::Failed | Self::Superseded | Self::Cancelled => true,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Superseded => "superseded",
            Self::Cancelled => "cancelled",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct StepView {
    pub key: String,
    pub title: String,
    pub state: StepStateView,
    pub attempts: u32,
    /// Milliseconds since the operation began.
    pub began_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<u64>,
    /// Why its last attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultView>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub enum StepStateView {
    Running,
    Done,
    Failed,
}

impl StepStateView {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct OperationList {
    /// Newest first.
    pub operations: Vec<OperationView>,
    /// Cursor of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The answer to a delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct OperationAccepted {
    pub operation: OperationView,
}

impl From<&Operation> for OperationView {
    fn from(operation: &Operation) -> Self {
        let Operation {
            id,
            project: _,
            subject,
            subject_name,
            kind,
            generation,
            state,
            ..
        } = operation;
        Self {
            id: id.to_string(),
            kind: match kind {
                OperationKind::Create => OperationKindView::Create,
                OperationKind::Update => OperationKindView::Update,
                OperationKind::Delete => OperationKindView::Delete,
            },
            subject_kind: subject.kind.as_str().to_owned(),
            subject_id: subject.id.clone(),
            subject_name: subject_name.clone(),
            generation: *generation,
            state: match state {
                OperationState::Running => OperationStateView::Running,
                OperationState::Succeeded => OperationStateView::Succeeded,
                OperationState::Failed => OperationStateView::Failed,
                OperationState::Superseded => OperationStateView::Superseded,
                OperationState::Cancelled => OperationStateView::Cancelled,
            },
            steps: operation.steps.iter().map(StepView::from).collect(),
            fault: operation.fault.as_ref().map(FaultView::from),
            report: operation.report.clone(),
            started: moment::to_wire(operation.started),
            finished: operation.finished.map(moment::to_wire),
        }
    }
}

impl From<&StepRecord> for StepView {
    fn from(step: &StepRecord) -> Self {
        let StepRecord {
            key,
            title,
            state,
            attempts,
            began_ms,
            ended_ms,
            fault,
        } = step;
        Self {
            key: key.clone(),
            title: title.clone(),
            state: match state {
                StepState::Running => StepStateView::Running,
                StepState::Done => StepStateView::Done,
                StepState::Failed => StepStateView::Failed,
            },
            attempts: *attempts,
            began_ms: *began_ms,
            ended_ms: *ended_ms,
            fault: fault.as_ref().map(FaultView::from),
        }
    }
}
