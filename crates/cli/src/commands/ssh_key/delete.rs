//! `cloud ssh-key delete`

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
        client.delete_ssh_key(&self.of.reference).await?;
        print(&format!(
            "key {} forgotten; certificates over it end within minutes\n",
            self.of.reference
        ))
    }
}
