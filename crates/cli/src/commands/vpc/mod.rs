//! `cloud vpc`

mod create;
mod delete;
mod get;
mod list;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a VPC
    Create(create::Create),
    /// The project's VPCs
    List(list::List),
    /// One VPC
    Get(get::Get),
    /// Remove a VPC that nothing uses
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
