//! `cloud vpc list`

use api::client::Client;
use clap::Args;

use crate::{
    failure::Failure,
    output::Output,
    selecting::{ByLabel, Selecting},
};

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    by: ByLabel,
    #[command(flatten)]
    selecting: Selecting,
    #[command(flatten)]
    output: Output,
}

impl List {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let select = self.selecting.with(&self.by);
        let watch = client.watch_networks(&select, None);
        self.selecting
            .show(self.output, client.networks(&select), watch)
            .await
    }
}
