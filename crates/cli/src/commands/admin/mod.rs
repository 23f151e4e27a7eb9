//! `cloud admin`: what an operator of the platform does.

mod keys;
mod rotate_key;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// The master keys that secrets are sealed under, and how many are under each
    Keys(keys::Keys),
    /// Replace the master key; goes on where an earlier one was interrupted
    RotateKey(rotate_key::RotateKey),
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::Keys(command) => command.run(&client).await,
        Command::RotateKey(command) => command.run(&client).await,
    }
}
