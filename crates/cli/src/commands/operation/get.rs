//! `cloud operation get`

use api::client::Client;
use clap::Args;

use super::OperationId;
use crate::{failure::Failure, output::Output};

#[derive(Debug, Args)]
pub struct Get {
    #[command(flatten)]
    of: OperationId,
    #[command(flatten)]
    output: Output,
}

impl Get {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        self.output.one(&client.get_operation(&self.of.id).await?)
    }
}
