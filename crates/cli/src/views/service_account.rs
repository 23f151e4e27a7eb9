//! A service account on a screen.

use api::tenant::ServiceAccountView;
use types::Timestamp;

use crate::output::{Row, age};

impl Row for ServiceAccountView {
    const TITLES: &'static [&'static str] = &["NAME", "ROLE", "ID", "AGE"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.name.clone(),
            self.role.clone(),
            self.id.clone(),
            age(&self.created, now),
        ]
    }
}
