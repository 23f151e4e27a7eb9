//! `cloud project list`

use api::client::Client;
use clap::Args;

use crate::{
    failure::Failure,
    output::Output,
    views::{place::Names, project::ProjectRow},
};

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    output: Output,
}

impl List {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let list = client.list_projects().await?;
        let names = Names::ask(client).await?;
        let rows: Vec<ProjectRow<'_>> = list
            .projects
            .iter()
            .map(|project| ProjectRow {
                project,
                names: &names,
            })
            .collect();
        self.output.list(&list, &rows)
    }
}
