//! `cloud user delete`

use api::client::Client;
use clap::Args;

use crate::{failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Delete {
    /// Their address or id
    email: String,
}

impl Delete {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        client.delete_user(&self.email).await?;
        print(&format!("{} is not known here any more\n", self.email))
    }
}
