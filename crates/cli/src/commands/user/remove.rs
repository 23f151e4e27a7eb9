//! `cloud user remove`

use api::client::Client;
use clap::Args;

use super::OfOrg;
use crate::{failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Remove {
    /// Their address or id
    email: String,
    #[command(flatten)]
    of: OfOrg,
}

impl Remove {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let place = match &self.of.org {
            Some(org) => {
                client.remove_org_member(org, &self.email).await?;
                format!("the organisation {org} and its projects")
            }
            None => {
                client.remove_member(&self.email).await?;
                format!("the project {}", client.project_name())
            }
        };
        print(&format!("{} has no role in {place} any more\n", self.email))
    }
}
