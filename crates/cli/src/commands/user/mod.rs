//! `cloud user`

mod invite;
mod list;
mod remove;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Invite somebody to a role in the project, or to administer an organisation
    Invite(invite::Invite),
    /// Who has a role
    List(list::List),
    /// Take somebody's roles; what they hold elsewhere stays
    Remove(remove::Remove),
}

/// An organisation instead of the project.
#[derive(Debug, clap::Args)]
pub struct OfOrg {
    /// Of this organisation, by name or id, and not of the project
    #[arg(long)]
    org: Option<String>,
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::Invite(command) => command.run(&client).await,
        Command::List(command) => command.run(&client).await,
        Command::Remove(command) => command.run(&client).await,
    }
}
