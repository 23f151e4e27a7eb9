//! `cloud k8s revoke`

use api::{client::Client, grant::ClusterGrantRevoke};
use clap::Args;

use super::Role;
use crate::{commands::Reference, failure::Failure, surroundings::print, views::grant};

#[derive(Debug, Args)]
pub struct Revoke {
    #[command(flatten)]
    of: Reference,
    /// Whose: an address, a service account's name, or an id
    who: String,
    /// Only what was granted in this namespace; everything in the cluster when not given
    #[arg(long)]
    namespace: Option<String>,
    /// Only this role
    #[arg(long, value_enum)]
    role: Option<Role>,
}

impl Revoke {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = ClusterGrantRevoke {
            who: self.who,
            namespace: self.namespace,
            role: self.role.map(|role| role.as_str().to_owned()),
        };
        let taken = client.revoke_grants(&self.of.reference, &request).await?;
        let lines: String = taken.grants.iter().map(grant::taken).collect();
        print(&lines)
    }
}
