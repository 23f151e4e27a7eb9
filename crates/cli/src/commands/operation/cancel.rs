//! `cloud operation cancel`

use api::{client::Client, operation::OperationStateView};
use clap::Args;

use super::OperationId;
use crate::{
    failure::{Exit, Failure},
    follow,
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Cancel {
    #[command(flatten)]
    of: OperationId,
}

impl Cancel {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let operation = client.cancel_operation(&self.of.id).await?;
        let operation = follow::ended(client, operation).await?;
        if operation.state != OperationStateView::Cancelled {
            return Err(Failure::new(
                Exit::Refused,
                "operation-over",
                format!(
                    "the operation {} has {} before it could be cancelled",
                    operation.id,
                    operation.state.as_str()
                ),
                format!("see `cloud operation get {}`", operation.id),
            ));
        }
        let name = &operation.subject_name;
        print(&format!(
            "creation of {} {name} cancelled; what was made is held\n\
             take it up again with `cloud k8s retry {name}`, or remove it with `cloud k8s delete {name}`\n",
            operation.subject_kind
        ))
    }
}
