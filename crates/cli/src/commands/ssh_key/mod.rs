//! `cloud ssh-key`

mod add;
mod delete;
mod list;

use api::client::Client;
use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Tell the platform a public key of yours, for `cloud ssh --key`
    Add(add::Add),
    /// Your public keys
    List(list::List),
    /// Forget a public key of yours
    Delete(delete::Delete),
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(command) => command.run(&client).await,
        Command::List(command) => command.run(&client).await,
        Command::Delete(command) => command.run(&client).await,
    }
}
