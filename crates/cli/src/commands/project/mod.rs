//! `cloud project`

mod create;
mod delete;
mod get;
mod list;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a project in an organisation; takes one of its administrators
    Create(create::Create),
    /// Projects you have a role in
    List(list::List),
    /// One project
    Get(get::Get),
    /// Remove a project with nothing in it; takes an administrator of its organisation
    Delete(delete::Delete),
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(command) => command.run(&client).await,
        Command::List(command) => command.run(&client).await,
        Command::Get(command) => command.run(&client).await,
        Command::Delete(command) => command.run(&client).await,
    }
}
