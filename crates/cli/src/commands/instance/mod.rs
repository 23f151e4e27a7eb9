//! `cloud instance`

mod get;
mod list;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// The project's instances
    List(list::List),
    /// One instance
    Get(get::Get),
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(command) => command.run(&client).await,
        Command::Get(command) => command.run(&client).await,
    }
}
