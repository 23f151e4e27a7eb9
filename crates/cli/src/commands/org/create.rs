//! `cloud org create`

use api::{
    client::Client,
    tenant::{OrgCreate, QuotaView},
};
use clap::Args;

use crate::{failure::Failure, quota::Limits, surroundings::print};

#[derive(Debug, Args)]
pub struct Create {
    /// Lower-case letters, digits and '-'
    name: String,
    /// How many projects its own administrators may make; 10 when not given
    #[arg(long, value_name = "N")]
    max_projects: Option<u32>,
    /// What all its projects may have together, such as clusters=20,vcpu=none; what is not given is enough for a team:
    /// clusters=10,vcpu=64,memory=128Gi,storage=1Ti,loadbalancers=20
    #[arg(long, value_name = "LIMITS")]
    quota: Option<Limits>,
}

impl Create {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = OrgCreate {
            name: self.name,
            max_projects: self.max_projects,
            quota: self.quota.map(|limits| limits.over(QuotaView::of_a_team())),
        };
        let org = client.create_org(&request).await?;
        print(&format!("organisation {} ({}) created\n", org.name, org.id))
    }
}
