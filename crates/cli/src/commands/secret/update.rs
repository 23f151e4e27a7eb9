//! `cloud secret update`

use api::{client::Client, secret::SecretUpdate};
use clap::Args;

use super::value::Value;
use crate::{commands::Reference, failure::Failure, surroundings::print};

#[derive(Debug, Args)]
#[command(
    after_help = "To go back to an earlier version: cloud secret get NAME --version 3 | cloud secret update NAME --from-file -"
)]
pub struct Update {
    #[command(flatten)]
    of: Reference,
    #[command(flatten)]
    value: Value,
}

impl Update {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = SecretUpdate {
            value: self.value.read()?,
        };
        let secret = client.update_secret(&self.of.reference, &request).await?;
        print(&format!(
            "secret {} kept, version {}\n",
            secret.name, secret.version
        ))
    }
}
