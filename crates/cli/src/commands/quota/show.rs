//! `cloud quota show`

use api::client::Client;
use clap::Args;

use crate::{failure::Failure, output::Output};

#[derive(Debug, Args)]
pub struct Show {
    #[command(flatten)]
    output: Output,
}

impl Show {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let usage = client.usage().await?;
        self.output.list(&usage, &usage.usage)
    }
}
