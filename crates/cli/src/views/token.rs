//! A token of a service account on a screen; the token itself is kept nowhere.

use api::tenant::TokenView;
use types::Timestamp;

use crate::output::{Row, age};

impl Row for TokenView {
    const TITLES: &'static [&'static str] = &["ID", "HOLDER", "STATUS", "EXPIRES", "AGE", "+BY"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.id.clone(),
            self.holder.clone(),
            if self.revoked { "REVOKED" } else { "GOOD" }.to_owned(),
            self.expires.clone(),
            age(&self.created, now),
            self.issued_by.clone(),
        ]
    }
}
