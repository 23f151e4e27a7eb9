//! `cloud secret list`

use api::client::Client;
use clap::Args;

use crate::{failure::Failure, output::Output};

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    output: Output,
}

impl List {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let list = client.list_secrets().await?;
        self.output.list(&list, &list.secrets)
    }
}
