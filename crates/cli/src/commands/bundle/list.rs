//! `cloud bundle list`

use bundle::Cache;
use clap::Args;

use crate::{failure::Failure, output::Output, views::bundle::BundleRow};

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    output: Output,
}

impl List {
    pub fn run(self, cache: &Cache) -> Result<(), Failure> {
        let bundles: Vec<BundleRow> = cache.list()?.into_iter().map(BundleRow).collect();
        self.output
            .list(&serde_json::json!({ "bundles": bundles }), &bundles)
    }
}
