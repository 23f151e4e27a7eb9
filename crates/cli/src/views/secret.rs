//! Secrets on a screen: never their values.

use api::secret::{SecretVersionView, SecretView};
use types::Timestamp;

use crate::output::{Row, age};

impl Row for SecretView {
    const TITLES: &'static [&'static str] = &["NAME", "VERSION", "SIZE", "UPDATED", "AGE", "+ID"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.name.clone(),
            self.version.to_string(),
            self.size.to_string(),
            age(&self.updated, now),
            age(&self.created, now),
            self.id.clone(),
        ]
    }
}

impl Row for SecretVersionView {
    const TITLES: &'static [&'static str] = &["VERSION", "SIZE", "BY", "CREATED"];

    fn cells(&self, _: Timestamp) -> Vec<String> {
        vec![
            self.version.to_string(),
            self.size.to_string(),
            self.by.clone(),
            self.created.clone(),
        ]
    }
}
