//! `cloud k8s token`: what kubectl runs to learn who its user is, as client.authentication.k8s.io/v1 has it.

use api::client::Client;
use clap::Args;
use serde_json::json;

use crate::{commands::Reference, failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Token {
    #[command(flatten)]
    of: Reference,
}

impl Token {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let fresh = client.cluster_token(&self.of.reference).await?;
        let credential = json!({
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "status": { "token": fresh.token, "expirationTimestamp": fresh.expires },
        });
        print(&format!("{credential}\n"))
    }
}
