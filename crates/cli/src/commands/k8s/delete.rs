//! `cloud k8s delete`: ends with what was removed, and what a scan found left.

use api::{client::Client, operation::OperationView};
use clap::Args;

use crate::{
    commands::{Reference, Wait},
    failure::Failure,
    follow::{self, follow},
    progress::seconds,
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
        let operation = client.delete_cluster(&self.of.reference).await?.operation;
        if self.wait.no_wait {
            return print(&format!("{}\n", operation.id));
        }
        finish_delete(client, "cluster", operation).await
    }
}

/// Waits for a delete and tells its report, as VPCs need too.
pub async fn finish_delete(client: &Client, what: &str, operation: OperationView) -> Result<(), Failure> {
    let operation = follow(client, operation).await?;
    let report: String = operation
        .report
        .iter()
        .map(|line| format!("  {line}\n"))
        .collect();
    let took = seconds(follow::latest(&operation));
    print(&format!(
        "{what} {} deleted in {took}\n{report}",
        operation.subject_name
    ))
}
