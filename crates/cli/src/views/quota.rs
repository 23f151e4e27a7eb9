//! What a project has of what it may have, on a screen.

use api::tenant::UsageLine;
use types::Timestamp;

use crate::output::Row;

impl Row for UsageLine {
    const TITLES: &'static [&'static str] = &["RESOURCE", "USED", "LIMIT"];

    fn cells(&self, _: Timestamp) -> Vec<String> {
        vec![
            self.resource.clone(),
            self.used.clone(),
            self.limit.clone().unwrap_or_else(|| "none".to_owned()),
        ]
    }
}
