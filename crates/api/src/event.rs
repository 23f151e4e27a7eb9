//! What happened to a thing, as its owner reads it.

use serde::{Deserialize, Serialize};
use types::operation::{Event, Severity};

use crate::moment;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct EventView {
    pub id: String,
    pub at: String,
    pub severity: SeverityView,
    /// `cluster` or `network`
    pub subject_kind: String,
    pub subject_id: String,
    pub subject_name: String,
    pub reason: String,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub enum SeverityView {
    Normal,
    Warning,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct EventList {
    /// Newest first.
    pub events: Vec<EventView>,
    /// Cursor of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl From<&Event> for EventView {
    fn from(event: &Event) -> Self {
        let Event {
            id,
            project: _,
            subject,
            subject_name,
            severity,
            reason,
            message,
            at,
        } = event;
        Self {
            id: id.to_string(),
            at: moment::to_wire(*at),
            severity: match severity {
                Severity::Normal => SeverityView::Normal,
                Severity::Warning => SeverityView::Warning,
            },
            subject_kind: subject.kind.as_str().to_owned(),
            subject_id: subject.id.clone(),
            subject_name: subject_name.clone(),
            reason: reason.clone(),
            message: message.clone(),
        }
    }
}
