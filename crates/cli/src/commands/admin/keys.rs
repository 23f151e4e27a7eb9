//! `cloud admin keys`

use api::client::Client;
use clap::Args;

use crate::{failure::Failure, output::Output};

#[derive(Debug, Args)]
pub struct Keys {
    #[command(flatten)]
    output: Output,
}

impl Keys {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let list = client.list_keys().await?;
        self.output.list(&list, &list.keys)
    }
}
