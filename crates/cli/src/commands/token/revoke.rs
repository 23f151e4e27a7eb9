//! `cloud token revoke`

use api::client::Client;
use clap::{Args, builder::NonEmptyStringValueParser};

use crate::{failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Revoke {
    /// Its id, as `cloud token list` shows it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    id: String,
}

impl Revoke {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        client.revoke_token(&self.id).await?;
        print(&format!("{} is not good any more\n", self.id))
    }
}
