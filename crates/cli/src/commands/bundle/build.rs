//! `cloud bundle build`

use bundle::{BuildOptions, Cache};
use clap::Args;

use super::steps::Steps;
use crate::{failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Build {
    /// Kubernetes release: a line (v1.36) or a patch (v1.36.4)
    #[arg(default_value = bundle::DEFAULT_LINE)]
    version: String,
    /// Debian mirror to take packages from
    #[arg(
        long,
        env = "PLASMACLOUD_DEBIAN_MIRROR",
        hide_env_values = true,
        value_name = "URL"
    )]
    mirror: Option<String>,
    /// The go command
    #[arg(long, env = "PLASMACLOUD_GO", hide_env_values = true, value_name = "PROGRAM")]
    go: Option<String>,
}

impl Build {
    pub fn run(self, cache: &Cache) -> Result<(), Failure> {
        let default = BuildOptions::default();
        let options = BuildOptions {
            go: self.go.unwrap_or(default.go),
            mirror: self.mirror.unwrap_or(default.mirror),
        };
        let steps = Steps::start();
        let built = bundle::build(cache, &self.version, &options, &steps);
        let took = steps.end();
        let built = built?;
        print(&format!(
            "bundle {} ({}) is ready after {took}\n",
            built.version(),
            built.digest()
        ))
    }
}
