//! `cloud bundle path`: a bundle brings its own kubectl and helm; this says where.

use bundle::{Cache, DEFAULT_LINE};
use clap::Args;

use super::find;
use crate::{
    failure::{Exit, Failure},
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Path {
    /// Program
    program: String,
    /// Release
    #[arg(long, default_value = DEFAULT_LINE)]
    version: String,
}

impl Path {
    pub fn run(self, cache: &Cache) -> Result<(), Failure> {
        let bundle = find(cache, &self.version)?;
        match bundle.bin(&self.program) {
            Some(path) => print(&format!("{}\n", path.display())),
            None => Err(Failure::new(
                Exit::NotFound,
                "program-not-found",
                format!(
                    "the bundle of {} has no program '{}'",
                    bundle.version(),
                    self.program
                ),
                format!(
                    "it has {}",
                    bundle.versions().into_keys().collect::<Vec<_>>().join(", ")
                ),
            )),
        }
    }
}
