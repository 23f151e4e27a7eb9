//! `cloud quota set`: the API takes a whole quota, a person means the limits they name.

use api::client::{Client, Condition};
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
        // Read before what is changed, so that whoever changes it meanwhile is not overwritten.
        let usage = match &self.of.org {
            Some(org) => {
                let (_, tag) = client.org_usage_now(org).await?;
                let wanted = self.quota.over(client.get_org(org).await?.quota);
                client.set_org_quota_if(org, &wanted, &Condition::As(tag)).await?;
                client.org_usage(org).await?.usage
            }
            None => {
                let (_, tag) = client.usage_now().await?;
                let wanted = self
                    .quota
                    .over(client.get_project(client.project_name()).await?.quota);
                client.set_quota_if(&wanted, &Condition::As(tag)).await?;
                client.usage().await?.usage
            }
        };
        print(&table(&usage, now(), false))
    }
}
