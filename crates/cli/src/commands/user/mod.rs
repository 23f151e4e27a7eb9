//! `cloud user`

mod delete;
mod invitations;
mod invite;
mod list;
mod remove;
mod reset;
mod withdraw;

use api::client::{Client, Whose};
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Invite somebody to a role in the project, or to administer an organisation or the platform
    Invite(invite::Invite),
    /// Who has a role
    List(list::List),
    /// Take somebody's roles; what they hold elsewhere stays
    Remove(remove::Remove),
    /// Invitations that wait to be taken up
    Invitations(invitations::Invitations),
    /// Take back an invitation
    Withdraw(withdraw::Withdraw),
    /// A code with which somebody chooses a new password; takes an administrator of the platform
    Reset(reset::Reset),
    /// Forget somebody: roles, logins, tokens, password; takes an administrator of the platform
    Delete(delete::Delete),
}

/// An organisation instead of the project.
#[derive(Debug, clap::Args)]
pub struct OfOrg {
    /// Of this organisation, by name or id, and not of the project
    #[arg(long)]
    pub org: Option<String>,
}

/// An organisation, or everything, instead of the project.
#[derive(Debug, clap::Args)]
pub struct Of {
    #[command(flatten)]
    org: OfOrg,
    /// Of the whole platform; takes an administrator of the platform
    #[arg(long, conflicts_with = "org")]
    all: bool,
}

impl Of {
    fn whose(&self) -> Whose<'_> {
        match &self.org.org {
            _ if self.all => Whose::Platform,
            Some(org) => Whose::Org(org),
            None => Whose::Project,
        }
    }
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::Invite(command) => command.run(&client).await,
        Command::List(command) => command.run(&client).await,
        Command::Remove(command) => command.run(&client).await,
        Command::Invitations(command) => command.run(&client).await,
        Command::Withdraw(command) => command.run(&client).await,
        Command::Reset(command) => command.run(&client).await,
        Command::Delete(command) => command.run(&client).await,
    }
}
