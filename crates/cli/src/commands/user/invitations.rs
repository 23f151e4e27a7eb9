//! `cloud user invitations`

use api::client::Client;
use clap::Args;

use super::Of;
use crate::{
    failure::Failure,
    output::Output,
    views::{invitation::Waiting, place::Names},
};

#[derive(Debug, Args)]
pub struct Invitations {
    #[command(flatten)]
    of: Of,
    #[command(flatten)]
    output: Output,
}

impl Invitations {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let list = client.list_invitations(self.of.whose()).await?;
        let names = Names::ask(client).await?;
        self.output.list(&list, &Waiting::each(&list.invitations, &names))
    }
}
