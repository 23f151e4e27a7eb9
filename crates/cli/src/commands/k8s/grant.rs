//! `cloud k8s grant`

use api::{client::Client, grant::ClusterGrantCreate};
use clap::Args;

use super::Role;
use crate::{commands::Reference, failure::Failure, output::Output, views::grant};

#[derive(Debug, Args)]
pub struct Grant {
    #[command(flatten)]
    of: Reference,
    /// The address of a person of the organisation, or a service account: its name, or sa-<name>@<project>
    who: String,
    /// What they may do
    #[arg(long, value_enum)]
    role: Role,
    /// In this namespace alone, also if it is made later; in the whole cluster when not given
    #[arg(long)]
    namespace: Option<String>,
    #[command(flatten)]
    output: Output,
}

impl Grant {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = ClusterGrantCreate {
            who: self.who,
            role: self.role.as_str().to_owned(),
            namespace: self.namespace,
        };
        let made = client.grant(&self.of.reference, &request).await?;
        self.output.show(&made, |_| {
            grant::given(&made, &self.of.reference, client.project_name())
        })
    }
}
