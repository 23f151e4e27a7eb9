//! `cloud org get`

use api::client::Client;
use clap::Args;

use crate::{commands::Reference, failure::Failure, output::Output};

#[derive(Debug, Args)]
pub struct Get {
    #[command(flatten)]
    of: Reference,
    #[command(flatten)]
    output: Output,
}

impl Get {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        self.output.one(&client.get_org(&self.of.reference).await?)
    }
}
