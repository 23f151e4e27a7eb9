//! `cloud k8s retry`: takes up a creation that failed or was cancelled.

use api::client::Client;
use clap::Args;

use super::create::ready;
use crate::{
    commands::{Reference, Wait},
    failure::Failure,
    follow::follow,
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Retry {
    #[command(flatten)]
    of: Reference,
    #[command(flatten)]
    wait: Wait,
}

impl Retry {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let operation = client.retry_cluster(&self.of.reference).await?.operation;
        if self.wait.no_wait {
            return print(&format!("{}\n", operation.id));
        }
        print(&ready(&follow(client, operation).await?))
    }
}
