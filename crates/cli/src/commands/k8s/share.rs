//! `cloud k8s share`

use api::{client::Client, share::ClusterShareCreate};
use clap::Args;

use super::With;
use crate::{commands::Reference, failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Share {
    #[command(flatten)]
    of: Reference,
    #[command(flatten)]
    other: With,
}

impl Share {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = ClusterShareCreate {
            project: self.other.with,
        };
        let share = client.share_cluster(&self.of.reference, &request).await?;
        print(&format!(
            "{} is shared with the project {}, which has the namespace {} in it\n\
             administrators' kubeconfigs and grants take an administrator of the organisation now; certificates issued before are \
             good for a day at most\n",
            self.of.reference, share.project, share.namespace
        ))
    }
}
