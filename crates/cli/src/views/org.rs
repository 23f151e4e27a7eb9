//! An organisation on a screen.

use api::tenant::OrgView;
use types::Timestamp;

use super::project::limits;
use crate::output::{Described, Row, age, dash, pairs};

impl Row for OrgView {
    const TITLES: &'static [&'static str] = &["NAME", "ID", "AGE", "+MAX-PROJECTS"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.name.clone(),
            self.id.clone(),
            age(&self.created, now),
            self.max_projects.to_string(),
        ]
    }
}

impl Described for OrgView {
    fn describe(&self, now: Timestamp, _: bool) -> String {
        pairs(&[
            ("Name", self.name.clone()),
            ("ID", self.id.clone()),
            ("Projects at most", self.max_projects.to_string()),
            ("Quota", dash(&limits(&self.quota))),
            (
                "Created",
                format!("{} ({} ago)", self.created, age(&self.created, now)),
            ),
        ])
    }
}
