//! `cloud admin ca`: what clients on other machines check the platform by.

use api::client::Client;
use clap::Args;

use crate::{failure::Failure, output::Output, views::authority};

#[derive(Debug, Args)]
pub struct Ca {
    #[command(flatten)]
    output: Output,
}

impl Ca {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let ca = client.ca().await?;
        self.output.show(&ca, |_| authority::describe(&ca))
    }
}
