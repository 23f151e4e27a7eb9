//! `cloud user list`

use api::client::{Client, Whose};
use clap::Args;

use super::Of;
use crate::{
    failure::Failure,
    output::Output,
    views::place::{HeldBy, Names},
};

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    of: Of,
    #[command(flatten)]
    output: Output,
}

impl List {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let list = match self.of.whose() {
            Whose::Platform => client.list_users().await?,
            Whose::Org(org) => client.list_org_members(org).await?,
            Whose::Project => client.list_members().await?,
        };
        let names = Names::ask(client).await?;
        self.output.list(&list, &HeldBy::each(&list.members, &names))
    }
}
