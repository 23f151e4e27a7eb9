//! `cloud org create`

use api::{client::Client, tenant::OrgCreate};
use clap::Args;

use crate::{failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Create {
    /// Lower-case letters, digits and '-'
    name: String,
    /// How many projects its own administrators may make; 10 when not given
    #[arg(long, value_name = "N")]
    max_projects: Option<u32>,
}

impl Create {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = OrgCreate {
            name: self.name,
            max_projects: self.max_projects,
        };
        let org = client.create_org(&request).await?;
        print(&format!("organisation {} ({}) created\n", org.name, org.id))
    }
}
