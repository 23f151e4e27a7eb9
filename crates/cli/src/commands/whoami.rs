//! `cloud whoami`

use clap::Args;

use crate::{
    connection::Connection,
    failure::Failure,
    output::Output,
    surroundings::now,
    views::{place::Names, whoami},
};

#[derive(Debug, Args)]
pub struct WhoAmI {
    #[command(flatten)]
    output: Output,
}

pub async fn run(connection: &Connection, command: WhoAmI) -> Result<(), Failure> {
    let target = connection.target().await?;
    let client = target.client()?;
    let me = client.whoami().await?;
    let names = Names::ask(&client).await?;
    command
        .output
        .show(&me, |wide| whoami::describe(&me, &target, &names, now(), wide))
}
