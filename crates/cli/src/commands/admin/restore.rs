//! `cloud admin restore`: there is no platform to ask, so it is the daemon's own program that does it.

use std::{path::PathBuf, process::Command};

use clap::Args;

use crate::failure::{Exit, Failure};

#[derive(Debug, Args)]
pub struct Restore {
    /// The backup
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// File with the passphrase that it was made with
    #[arg(long, value_name = "FILE")]
    passphrase_file: PathBuf,
    /// State directory to put it into [default: as cloudd's settings say]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

impl Restore {
    pub fn run(self) -> Result<(), Failure> {
        let beside = std::env::current_exe()
            .ok()
            .map(|own| own.with_file_name("cloudd"));
        let program = beside
            .filter(|path| path.is_file())
            .unwrap_or_else(|| "cloudd".into());
        let mut command = Command::new(&program);
        command.arg("restore").arg("--from").arg(&self.from);
        command.arg("--passphrase-file").arg(&self.passphrase_file);
        if let Some(dir) = &self.state_dir {
            command.arg("--state-dir").arg(dir);
        }
        let failed = |cause: String| {
            Failure::new(
                Exit::Failed,
                "restore-failed",
                cause,
                "run it on the platform's host, as root, with cloudd stopped",
            )
        };
        let ended = command
            .status()
            .map_err(|error| failed(format!("{} cannot be run: {error}", program.display())))?;
        if ended.success() {
            Ok(())
        } else {
            Err(failed("nothing was restored; see above".to_owned()))
        }
    }
}
