//! `cloud admin backup`

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use api::{backup::BackupRequest, client::Client};
use clap::Args;

use crate::{
    failure::{Exit, Failure},
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Backup {
    /// File to write; one that is there is not written over
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// File with the passphrase that the backup is sealed under; keep it where the host cannot be lost with it
    #[arg(long, value_name = "FILE")]
    passphrase_file: PathBuf,
}

impl Backup {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let passphrase = fs::read_to_string(&self.passphrase_file).map_err(|error| {
            Failure::new(
                Exit::Usage,
                "passphrase-unreadable",
                format!("{} cannot be read: {error}", self.passphrase_file.display()),
                "name a file with a passphrase, such as one made by `openssl rand -base64 24`",
            )
        })?;
        if self.out.exists() {
            return Err(Failure::new(
                Exit::Refused,
                "backup-exists",
                format!("{} is there already", self.out.display()),
                "choose another name for the backup, or remove that file",
            ));
        }
        let request = BackupRequest {
            passphrase: passphrase.trim_ascii().to_owned(),
        };
        let mut download = client.backup(&request).await?;
        let dir = self.out.parent().filter(|dir| !dir.as_os_str().is_empty());
        let dir = dir.unwrap_or(Path::new("."));
        let unwritable = |error: io::Error| {
            Failure::new(
                Exit::Failed,
                "backup-unwritable",
                format!("{} cannot be written: {error}", self.out.display()),
                "choose a directory that exists, is writable and has room",
            )
        };
        // Its name appears when it is whole, readable by its owner alone.
        let mut file = tempfile::NamedTempFile::new_in(dir).map_err(unwritable)?;
        while let Some(piece) = download.next().await? {
            file.write_all(&piece).map_err(unwritable)?;
        }
        file.as_file().sync_all().map_err(unwritable)?;
        let size = file.as_file().metadata().map_err(unwritable)?.len();
        file.persist_noclobber(&self.out)
            .map_err(|error| unwritable(error.error))?;
        print(&format!(
            "{} holds the platform's state, {size} bytes\n",
            self.out.display()
        ))
    }
}
