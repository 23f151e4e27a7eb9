//! `cloud quota show`

use api::client::Client;
use clap::Args;

use crate::{commands::user::OfOrg, failure::Failure, output::Output};

#[derive(Debug, Args)]
pub struct Show {
    #[command(flatten)]
    of: OfOrg,
    #[command(flatten)]
    output: Output,
}

impl Show {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        match &self.of.org {
            Some(org) => {
                let usage = client.org_usage(org).await?;
                self.output.list(&usage, &usage.usage)
            }
            None => {
                let usage = client.usage().await?;
                self.output.list(&usage, &usage.usage)
            }
        }
    }
}
