//! `cloud quota`

mod set;
mod show;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// What the project, or an organisation with all its projects, has and may have
    Show(show::Show),
    /// Change what the project, or an organisation, may have; takes an administrator of the platform
    Set(set::Set),
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::Show(command) => command.run(&client).await,
        Command::Set(command) => command.run(&client).await,
    }
}
