//! `cloud token`

mod create;
mod list;
mod revoke;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print a new token of a service account; takes an administrator of the project
    Create(create::Create),
    /// Tokens of the project's service accounts that have not ended
    List(list::List),
    /// End a token at once
    Revoke(revoke::Revoke),
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(command) => command.run(&client).await,
        Command::List(command) => command.run(&client).await,
        Command::Revoke(command) => command.run(&client).await,
    }
}
