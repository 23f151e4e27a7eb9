//! An event on a screen.

use api::event::{EventView, SeverityView};
use types::Timestamp;

use crate::output::{Row, age};

impl Row for EventView {
    const TITLES: &'static [&'static str] = &[
        "AGE",
        "SEVERITY",
        "SUBJECT",
        "REASON",
        "MESSAGE",
        "+SUBJECT ID",
        "+ID",
    ];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            age(&self.at, now),
            match self.severity {
                SeverityView::Normal => "normal",
                SeverityView::Warning => "WARNING",
            }
            .to_owned(),
            format!("{}/{}", self.subject_kind, self.subject_name),
            self.reason.clone(),
            self.message.clone(),
            self.subject_id.clone(),
            self.id.clone(),
        ]
    }
}
