//! `cloud bundle export`

use std::path::PathBuf;

use bundle::Cache;
use clap::Args;

use super::find;
use crate::{failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Export {
    /// Release
    version: String,
    /// File to write
    file: PathBuf,
}

impl Export {
    pub fn run(self, cache: &Cache) -> Result<(), Failure> {
        let bundle = find(cache, &self.version)?;
        bundle::export(&bundle, &self.file)?;
        print(&format!(
            "bundle {} ({}) is in {}\n",
            bundle.version(),
            bundle.digest(),
            self.file.display()
        ))
    }
}
