//! `cloud quota set`: the API takes a whole quota, a person means the limits they name.

use api::client::{Client, Condition};
use clap::Args;

use crate::{
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
}

impl Set {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        // Read before what is changed, so that whoever changes it meanwhile is not overwritten.
        let (_, tag) = client.usage_now().await?;
        let present = client.get_project(client.project_name()).await?.quota;
        let condition = Condition::As(tag);
        client.set_quota_if(&self.quota.over(present), &condition).await?;
        let usage = client.usage().await?;
        print(&table(&usage.usage, now(), false))
    }
}
