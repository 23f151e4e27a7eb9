//! A public SSH key on a screen.

use api::ssh::SshKeyView;
use types::Timestamp;

use crate::output::{Row, age};

impl Row for SshKeyView {
    const TITLES: &'static [&'static str] = &["NAME", "KIND", "FINGERPRINT", "AGE", "+ID"];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            self.name.clone(),
            self.public.split(' ').next().unwrap_or_default().to_owned(),
            self.fingerprint.clone(),
            age(&self.created, now),
            self.id.clone(),
        ]
    }
}
