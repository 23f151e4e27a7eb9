//! `cloud sa`

mod create;
mod delete;
mod list;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make an identity for a program; takes an administrator of the project
    Create(create::Create),
    /// The project's service accounts
    List(list::List),
    /// Remove a service account; its tokens end
    Delete(delete::Delete),
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(command) => command.run(&client).await,
        Command::List(command) => command.run(&client).await,
        Command::Delete(command) => command.run(&client).await,
    }
}
