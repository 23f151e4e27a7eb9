//! `cloud k8s unshare`

use api::client::Client;
use clap::Args;

use super::With;
use crate::{commands::Reference, failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Unshare {
    #[command(flatten)]
    of: Reference,
    #[command(flatten)]
    other: With,
}

impl Unshare {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let share = client
            .unshare_cluster(&self.of.reference, &self.other.with)
            .await?;
        print(&format!(
            "{} is no longer shared with the project {}; its namespace {} is deleted with all that is in it at {}, unless it is \
             shared again\n",
            self.of.reference,
            share.project,
            share.namespace,
            share.remove_after.unwrap_or_default()
        ))
    }
}
