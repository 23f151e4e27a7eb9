//! The audit log, as whoever may read it sees it.

use serde::{Deserialize, Serialize};
use types::audit::{AuditRecord, Entry, Stage, Verdict};

use crate::moment;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct AuditView {
    pub sequence: u64,
    /// RFC 3339 to the millisecond.
    pub at: String,
    pub stage: StageView,
    /// Empty when the caller was not known.
    pub actor_id: String,
    pub actor_name: String,
    pub address: String,
    /// What the caller called its program.
    pub agent: String,
    /// The operation's id in this document, such as `createCluster`.
    pub action: String,
    pub object_kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org: Option<String>,
    /// What changed; its members depend on the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<serde_json::Value>,
    /// HTTP status; absent in a record that a call was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Code of the problem, when it was refused or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Header `X-Request-Id` of the answer; both records of a call carry it.
    pub request: String,
    /// SHA-256 of the record before this one.
    pub previous: String,
    pub hash: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub enum StageView {
    /// Written before the call was carried out; without a later record of the same request, its outcome is not known.
    Begun,
    Ended,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct AuditList {
    /// Newest first.
    pub records: Vec<AuditView>,
    /// Cursor of the next page, when there may be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct VerdictView {
    pub intact: bool,
    /// How many records were looked at.
    pub records: u64,
    /// Number and hash of the last record that is good: what to note down and give to a later verify.
    pub head: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct BrokenView {
    /// The first record that is not as it was written.
    pub sequence: u64,
    pub how: String,
}

impl From<&AuditRecord> for AuditView {
    fn from(record: &AuditRecord) -> Self {
        let AuditRecord {
            sequence,
            entry,
            previous,
            hash,
        } = record;
        let Entry {
            at_ms,
            stage,
            actor,
            origin,
            action,
            object,
            project,
            org,
            change,
            status,
            code,
            request,
        } = entry.clone();
        Self {
            sequence: *sequence,
            at: moment::to_wire_ms(at_ms),
            stage: match stage {
                Stage::Begun => StageView::Begun,
                Stage::Ended => StageView::Ended,
            },
            actor_id: actor.id,
            actor_name: actor.name,
            address: origin.address,
            agent: origin.agent,
            action,
            object_kind: object.kind,
            object_name: object.name,
            object_id: object.id,
            project,
            org,
            // Somebody who changed the log may have left anything there.
            change: change.map(|change| {
                serde_json::from_str(change.as_str()).unwrap_or_else(|_| change.as_str().into())
            }),
            status,
            code,
            request,
            previous: previous.to_string(),
            hash: hash.to_string(),
        }
    }
}

impl From<&Verdict> for VerdictView {
    fn from(verdict: &Verdict) -> Self {
        Self {
            intact: verdict.broken.is_none(),
            records: verdict.records,
            head: verdict.head.to_string(),
            broken: verdict.broken.as_ref().map(|broken| BrokenView {
                sequence: broken.sequence,
                how: broken.to_string(),
            }),
        }
    }
}
