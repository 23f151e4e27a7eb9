//! `cloud operation watch`

use api::client::Client;
use clap::Args;

use super::OperationId;
use crate::{
    failure::Failure,
    follow::{self, follow},
    progress::seconds,
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Watch {
    #[command(flatten)]
    of: OperationId,
}

impl Watch {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let operation = client.get_operation(&self.of.id).await?;
        let operation = follow(client, operation).await?;
        let report: String = operation
            .report
            .iter()
            .map(|line| format!("  {line}\n"))
            .collect();
        print(&format!(
            "{} of {} {} {} after {}\n{report}",
            operation.kind.as_str(),
            operation.subject_kind,
            operation.subject_name,
            operation.state.as_str(),
            seconds(follow::latest(&operation)),
        ))
    }
}
