//! `cloud user reset`: the code is shown once, with what the person has to type.

use api::client::Client;
use clap::Args;

use crate::{failure::Failure, output::Output, views::invitation};

#[derive(Debug, Args)]
pub struct Reset {
    /// Their address or id
    email: String,
    #[command(flatten)]
    output: Output,
}

impl Reset {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let reset = client.offer_reset(&self.email).await?;
        self.output
            .show(&reset, |_| invitation::describe_reset(&reset, client.endpoint()))
    }
}
