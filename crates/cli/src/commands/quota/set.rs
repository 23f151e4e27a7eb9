//! `cloud quota set`: the API takes a whole quota, a person means the limits they name.

use api::client::Client;
use clap::Args;

use crate::{
    commands::user::OfOrg,
    failure::Failure,
    output::table,
    quota::Limits,
    surroundings::{now, print},
};

#[derive(Debug, Args)]
pub struct Set {
    /// Such as clusters=3,memory=64Gi; 'none' lifts a limit, and what is not given stays as it is
    #[arg(long, value_name = "LIMITS")]
    quota: Limits,
    #[command(flatten)]
    of: OfOrg,
}

impl Set {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let usage = match &self.of.org {
            Some(org) => {
                let present = client.get_org(org).await?.quota;
                client.set_org_quota(org, &self.quota.over(present)).await?;
                client.org_usage(org).await?.usage
            }
            None => {
                let present = client.get_project(client.project_name()).await?.quota;
                client.set_quota(&self.quota.over(present)).await?;
                client.usage().await?.usage
            }
        };
        print(&table(&usage, now(), false))
    }
}
