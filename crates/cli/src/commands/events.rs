//! `cloud events`

use api::client::Client;
use clap::Args;

use crate::{failure::Failure, output::Output};

#[derive(Debug, Args)]
pub struct Events {
    /// Only those of this cluster or VPC, by name or id
    #[arg(value_name = "NAME")]
    subject: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 100, value_name = "N")]
    limit: u32,
    #[command(flatten)]
    output: Output,
}

pub async fn run(client: Client, command: Events) -> Result<(), Failure> {
    let list = client
        .events(command.subject.as_deref())
        .first(command.limit)
        .await?;
    command.output.list(&list, &list.events)
}
