//! `cloud secret versions`

use api::client::Client;
use clap::Args;

use crate::{commands::Reference, failure::Failure, output::Output};

#[derive(Debug, Args)]
pub struct Versions {
    #[command(flatten)]
    of: Reference,
    #[command(flatten)]
    output: Output,
}

impl Versions {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let secret = client.get_secret(&self.of.reference).await?;
        self.output.list(&secret, &secret.versions)
    }
}
