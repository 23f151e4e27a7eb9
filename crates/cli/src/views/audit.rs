//! A record of the audit log on a screen.

use api::audit::{AuditView, StageView};
use types::Timestamp;

use crate::output::{Row, dash};

fn outcome(record: &AuditView) -> String {
    match (record.stage, record.status, &record.code) {
        (StageView::Begun, ..) => "begun".to_owned(),
        (StageView::Ended, Some(status), Some(code)) => format!("{status} {code}"),
        (StageView::Ended, Some(status), None) => status.to_string(),
        (StageView::Ended, None, _) => "?".to_owned(),
    }
}

fn object(record: &AuditView) -> String {
    let name = record.object_name.as_ref().or(record.object_id.as_ref());
    match name {
        Some(name) => format!("{}/{name}", record.object_kind),
        None => record.object_kind.clone(),
    }
}

impl Row for AuditView {
    const TITLES: &'static [&'static str] = &[
        "TIME",
        "ACTOR",
        "ACTION",
        "OBJECT",
        "OUTCOME",
        "FROM",
        "+NUMBER",
        "+PROJECT",
        "+OBJECT ID",
        "+REQUEST",
        "+AGENT",
        "+CHANGE",
    ];

    fn cells(&self, _: Timestamp) -> Vec<String> {
        let optional = |value: &Option<String>| dash(value.as_deref().unwrap_or_default());
        vec![
            self.at.clone(),
            self.actor_name.clone(),
            self.action.clone(),
            object(self),
            outcome(self),
            self.address.clone(),
            self.sequence.to_string(),
            optional(&self.project),
            optional(&self.object_id),
            self.request.clone(),
            dash(&self.agent),
            self.change
                .as_ref()
                .map_or_else(|| "-".to_owned(), ToString::to_string),
        ]
    }
}
