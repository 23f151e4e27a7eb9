//! `cloud user withdraw`

use api::client::Client;
use clap::Args;

use super::Of;
use crate::{failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Withdraw {
    /// The invitation's id, or an address: all of theirs
    invitation: String,
    #[command(flatten)]
    of: Of,
}

impl Withdraw {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        client.withdraw(self.of.whose(), &self.invitation).await?;
        print(&format!("the invitation {} was taken back\n", self.invitation))
    }
}
