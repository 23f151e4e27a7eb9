//! `cloud sa create`

use api::{client::Client, tenant::ServiceAccountCreate};
use clap::Args;

use crate::{failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Create {
    /// Lower-case letters, digits and '-'
    name: String,
    /// project_viewer, project_member or project_admin; project_member when not given
    #[arg(long)]
    role: Option<String>,
}

impl Create {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = ServiceAccountCreate {
            name: self.name,
            role: self.role,
        };
        let account = client.create_service_account(&request).await?;
        print(&format!(
            "service account {} ({}) created, role {}\n",
            account.name, account.id, account.role
        ))
    }
}
