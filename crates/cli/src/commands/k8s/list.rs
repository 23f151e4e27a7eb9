//! `cloud k8s list`

use api::client::Client;
use clap::Args;

use crate::{failure::Failure, output::Output};

#[derive(Debug, Args)]
pub struct List {
    /// Those of any project in which you were granted something, instead of the project's own
    #[arg(long)]
    granted: bool,
    #[command(flatten)]
    output: Output,
}

impl List {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        if self.granted {
            let list = client.list_granted_clusters().await?;
            return self.output.list(&list, &list.clusters);
        }
        let list = client.list_clusters().await?;
        self.output.list(&list, &list.clusters)
    }
}
