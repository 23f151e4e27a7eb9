//! A master key on a screen, by its mark.

use api::keys::KeyView;
use types::Timestamp;

use crate::output::Row;

impl Row for KeyView {
    const TITLES: &'static [&'static str] = &["KEY", "STATE", "SECRETS"];

    fn cells(&self, _: Timestamp) -> Vec<String> {
        let state = if self.seals { "SEALS" } else { "OLD" };
        vec![self.mark.clone(), state.to_owned(), self.rows.to_string()]
    }
}
