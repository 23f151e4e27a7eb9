//! `cloud operation list`

use api::client::Client;
use clap::Args;

use crate::{failure::Failure, output::Output, selecting::Selecting};

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    selecting: Selecting,
    #[command(flatten)]
    output: Output,
}

impl List {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let select = self.selecting.select();
        let watch = client.watch_operations(&select, None);
        self.selecting
            .show(self.output, client.operations(&select), watch)
            .await
    }
}
