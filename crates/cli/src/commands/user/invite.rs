//! `cloud user invite`: the code is shown once, with what the person has to type.

use api::{client::Client, tenant};
use clap::Args;
use types::tenant::Role;

use super::OfOrg;
use crate::{failure::Failure, output::Output, views::invitation};

#[derive(Debug, Args)]
pub struct Invite {
    /// Their address
    email: String,
    /// project_viewer, project_member or project_admin; org_admin with --org; platform_admin
    #[arg(long)]
    role: String,
    #[command(flatten)]
    of: OfOrg,
    #[command(flatten)]
    output: Output,
}

impl Invite {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = tenant::Invite {
            email: self.email,
            role: self.role,
        };
        let invited = match &self.of.org {
            Some(org) => client.invite_to_org(org, &request).await?,
            None if request.role == Role::PlatformAdmin.as_str() => {
                client.invite_to_platform(&request).await?
            }
            None => client.invite(&request).await?,
        };
        self.output
            .show(&invited, |_| invitation::describe(&invited, client.endpoint()))
    }
}
