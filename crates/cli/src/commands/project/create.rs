//! `cloud project create`

use api::{
    client::Client,
    tenant::{ProjectCreate, QuotaView},
};
use clap::Args;

use crate::{failure::Failure, quota::Limits, surroundings::print};

#[derive(Debug, Args)]
pub struct Create {
    /// Lower-case letters, digits and '-'
    name: String,
    /// The organisation it belongs to, by name or id
    #[arg(long)]
    org: String,
    /// Such as clusters=3,vcpu=32,memory=64Gi,storage=500Gi,loadbalancers=5; what is not given has no limit
    #[arg(long, value_name = "LIMITS")]
    quota: Option<Limits>,
}

impl Create {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = ProjectCreate {
            name: self.name,
            quota: self.quota.unwrap_or_default().over(QuotaView::default()),
        };
        let project = client.create_project(&self.org, &request).await?;
        print(&format!("project {} ({}) created\n", project.name, project.id))
    }
}
