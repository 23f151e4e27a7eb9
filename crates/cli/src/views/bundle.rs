//! A bundle on a screen.

use bundle::BundleInfo;
use serde::Serialize;
use types::Timestamp;

use crate::output::{Row, age};

/// A bundle as this host has it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct BundleRow(pub BundleInfo);

impl Row for BundleRow {
    const TITLES: &'static [&'static str] = &[
        "VERSION",
        "SIZE",
        "IMAGES",
        "COMPONENTS",
        "AGE",
        "DIGEST",
        "+LINE",
    ];

    fn cells(&self, now: Timestamp) -> Vec<String> {
        let Self(info) = self;
        let added = Timestamp(i64::try_from(info.added).unwrap_or(i64::MAX));
        vec![
            info.version.clone(),
            format!("{} MiB", info.size >> 20),
            info.images.to_string(),
            info.components.to_string(),
            age(&api::moment::to_wire(added), now),
            info.digest.to_string(),
            info.line.clone(),
        ]
    }
}
