//! `cloud secret`

mod create;
mod delete;
mod get;
mod list;
mod update;
mod value;
mod versions;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Keep a secret in the project
    Create(create::Create),
    /// The project's secrets: names, versions, sizes; never values
    List(list::List),
    /// Print a secret's value; that it was read is recorded
    Get(get::Get),
    /// Versions of a secret that are kept
    Versions(versions::Versions),
    /// Keep a new version of a secret; the last ten stay
    Update(update::Update),
    /// Remove a secret with all its versions, for good
    Delete(delete::Delete),
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(command) => command.run(&client).await,
        Command::List(command) => command.run(&client).await,
        Command::Get(command) => command.run(&client).await,
        Command::Versions(command) => command.run(&client).await,
        Command::Update(command) => command.run(&client).await,
        Command::Delete(command) => command.run(&client).await,
    }
}
