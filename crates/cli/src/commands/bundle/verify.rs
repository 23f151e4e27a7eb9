//! `cloud bundle verify`

use bundle::Cache;
use clap::Args;

use super::find;
use crate::{
    failure::{Exit, Failure},
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Verify {
    /// Release; all bundles when not given
    version: Option<String>,
}

impl Verify {
    pub fn run(self, cache: &Cache) -> Result<(), Failure> {
        let versions = match self.version {
            Some(version) => vec![version],
            None => cache.list()?.into_iter().map(|info| info.version).collect(),
        };
        let mut damaged = Vec::new();
        for version in versions {
            let bundle = find(cache, &version)?;
            let faults = bundle::verify(&bundle);
            if faults.is_empty() {
                print(&format!(
                    "bundle {}: every byte is as it was built\n",
                    bundle.version()
                ))?;
            } else {
                let lines: String = faults.iter().map(|fault| format!("  {fault}\n")).collect();
                print(&format!("bundle {}: damaged\n{lines}", bundle.version()))?;
                damaged.push(bundle.version().to_owned());
            }
        }
        if damaged.is_empty() {
            return Ok(());
        }
        Err(Failure::new(
            Exit::Failed,
            "bundle-damaged",
            format!("damaged: {}", damaged.join(", ")),
            format!("`cloud bundle build {}` replaces what is damaged", damaged[0]),
        ))
    }
}
