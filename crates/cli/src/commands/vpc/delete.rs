//! `cloud vpc delete`

use api::client::Client;
use clap::Args;

use crate::{
    commands::{Reference, Wait, k8s::finish_delete},
    failure::Failure,
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Delete {
    #[command(flatten)]
    of: Reference,
    #[command(flatten)]
    wait: Wait,
}

impl Delete {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let operation = client.delete_network(&self.of.reference).await?.operation;
        if self.wait.no_wait {
            return print(&format!("{}\n", operation.id));
        }
        finish_delete(client, "VPC", operation).await
    }
}
