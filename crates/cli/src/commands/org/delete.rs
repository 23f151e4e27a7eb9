//! `cloud org delete`

use api::client::Client;
use clap::Args;

use crate::{commands::Reference, failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Delete {
    #[command(flatten)]
    of: Reference,
}

impl Delete {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        client.delete_org(&self.of.reference).await?;
        print(&format!("organisation {} deleted\n", self.of.reference))
    }
}
