//! `cloud k8s grants`

use api::client::Client;
use clap::Args;

use crate::{commands::Reference, failure::Failure, output::Output};

#[derive(Debug, Args)]
pub struct Grants {
    #[command(flatten)]
    of: Reference,
    #[command(flatten)]
    output: Output,
}

impl Grants {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let list = client.list_grants(&self.of.reference).await?;
        self.output.list(&list, &list.grants)
    }
}
