//! `cloud admin`: what an operator of the platform does.

mod backup;
mod ca;
mod certs;
mod keys;
mod restore;
mod rotate_key;

use clap::Subcommand;

use super::with_client;
use crate::{connection::Connection, failure::Failure};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// The master keys that secrets are sealed under, and how many are under each
    Keys(keys::Keys),
    /// Replace the master key; goes on where an earlier one was interrupted
    RotateKey(rotate_key::RotateKey),
    /// Every certificate the platform keeps and when it ends; `rotate` replaces an authority
    Certs(certs::Certs),
    /// The authority that other machines check the platform by, with its fingerprint
    Ca(ca::Ca),
    /// Write the platform's state into one file, sealed under a passphrase
    Backup(backup::Backup),
    /// Put a backup back, with cloudd stopped
    Restore(restore::Restore),
}

pub fn run(at: &Connection, command: Command) -> Result<(), Failure> {
    match command {
        Command::Keys(command) => with_client(at, async |client| command.run(&client).await),
        Command::RotateKey(command) => with_client(at, async |client| command.run(&client).await),
        Command::Certs(command) => with_client(at, async |client| command.run(&client).await),
        Command::Ca(command) => with_client(at, async |client| command.run(&client).await),
        Command::Backup(command) => with_client(at, async |client| command.run(&client).await),
        Command::Restore(command) => command.run(),
    }
}
