//! `cloud operation`

mod cancel;
mod get;
mod list;
mod watch;

use api::client::Client;
use clap::{Args, Subcommand, builder::NonEmptyStringValueParser};

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// The project's operations, newest first
    List(list::List),
    /// One operation with its steps
    Get(get::Get),
    /// Show an operation's steps until it ends
    Watch(watch::Watch),
    /// Stop the creation of a cluster; what was made is held until it is retried or deleted
    Cancel(cancel::Cancel),
}

/// Operations have no names.
#[derive(Debug, Args)]
pub struct OperationId {
    /// Id of the operation
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub id: String,
}

pub async fn run(client: Client, command: Command) -> Result<(), Failure> {
    match command {
        Command::List(command) => command.run(&client).await,
        Command::Get(command) => command.run(&client).await,
        Command::Watch(command) => command.run(&client).await,
        Command::Cancel(command) => command.run(&client).await,
    }
}
