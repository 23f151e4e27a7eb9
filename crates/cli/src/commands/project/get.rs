//! `cloud project get`

use api::client::Client;
use clap::Args;

use crate::{
    commands::Reference,
    failure::Failure,
    output::{Described, Output},
    surroundings::now,
    views::{place::Names, project::ProjectRow},
};

#[derive(Debug, Args)]
pub struct Get {
    #[command(flatten)]
    of: Reference,
    #[command(flatten)]
    output: Output,
}

impl Get {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let project = &client.get_project(&self.of.reference).await?;
        let names = &Names::ask(client).await?;
        self.output.show(project, |wide| {
            ProjectRow { project, names }.describe(now(), wide)
        })
    }
}
