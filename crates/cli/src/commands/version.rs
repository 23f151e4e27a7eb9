//! `cloud version`

use clap::Args;

use crate::{connection::Connection, failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Version {
    /// Only this program's; do not ask the platform
    #[arg(long)]
    client: bool,
}

pub async fn run(connection: &Connection, command: Version) -> Result<(), Failure> {
    print(concat!("cloud v", env!("CARGO_PKG_VERSION"), "\n"))?;
    if command.client {
        return Ok(());
    }
    let client = connection.client().await?;
    let platform = client.version().await?;
    print(&format!(
        "platform {} ({}) at {}\n",
        platform.version,
        platform.instance,
        client.endpoint()
    ))
}
