//! `cloud org`

mod create;
mod delete;
mod get;
mod list;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make an organisation; takes an administrator of the platform
    Create(create::Create),
    /// Your organisations
    List(list::List),
    /// One organisation
    Get(get::Get),
    /// Remove an organisation that has no projects; takes an administrator of the platform
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
