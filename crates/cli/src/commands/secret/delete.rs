//! `cloud secret delete`: final, so it asks for the name once more.

use api::client::Client;
use clap::Args;

use crate::{
    ask,
    commands::Reference,
    failure::{Exit, Failure},
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Delete {
    #[command(flatten)]
    of: Reference,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Delete {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let name = &self.of.reference;
        if !self.yes {
            let question = format!("Every version of '{name}' is gone for good. Type its name to delete it");
            if !ask::is_somebody_there() || ask::line(&question)? != *name {
                return Err(Failure::new(
                    Exit::Refused,
                    "not-confirmed",
                    format!("the secret '{name}' was not deleted"),
                    "type its name when asked, or give --yes",
                ));
            }
        }
        client.delete_secret(name).await?;
        print(&format!("secret {name} deleted\n"))
    }
}
