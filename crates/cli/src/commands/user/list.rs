//! `cloud user list`

use api::client::Client;
use clap::Args;

use super::OfOrg;
use crate::{
    failure::Failure,
    output::Output,
    views::place::{HeldBy, Names},
};

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    of: OfOrg,
    #[command(flatten)]
    output: Output,
}

impl List {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let list = match &self.of.org {
            Some(org) => client.list_org_members(org).await?,
            None => client.list_members().await?,
        };
        let names = Names::ask(client).await?;
        self.output.list(&list, &HeldBy::each(&list.members, &names))
    }
}
