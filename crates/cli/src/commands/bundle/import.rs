//! `cloud bundle import`

use std::path::PathBuf;

use bundle::Cache;
use clap::Args;

use super::steps::Steps;
use crate::{failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Import {
    /// File that `export` wrote
    file: PathBuf,
}

impl Import {
    pub fn run(self, cache: &Cache) -> Result<(), Failure> {
        let steps = Steps::start();
        let imported = bundle::import(cache, &self.file, &steps);
        let took = steps.end();
        let imported = imported?;
        print(&format!(
            "bundle {} ({}) imported in {took}\n",
            imported.version(),
            imported.digest()
        ))
    }
}
