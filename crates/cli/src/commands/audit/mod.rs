//! `cloud audit`

mod list;
mod verify;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Who did what, newest first: in the project, or everywhere for administrators of the platform who name none
    List(list::List),
    /// Check that the log is as it was written; exits with 1 when it is not
    Verify(verify::Verify),
}

/// `in_project` when one was named.
pub async fn run(client: Client, in_project: bool, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(command) => command.run(&client, in_project).await,
        Command::Verify(command) => command.run(&client).await,
    }
}
