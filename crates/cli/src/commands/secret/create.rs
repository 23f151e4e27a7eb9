//! `cloud secret create`

use api::{client::Client, secret::SecretCreate};
use clap::{Args, builder::NonEmptyStringValueParser};

use super::value::Value;
use crate::{failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Create {
    /// How it is called
    #[arg(value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    name: String,
    #[command(flatten)]
    value: Value,
}

impl Create {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = SecretCreate {
            value: self.value.read()?,
            name: self.name,
        };
        let secret = client.create_secret(&request).await?;
        print(&format!(
            "secret {} kept, version {}\n",
            secret.name, secret.version
        ))
    }
}
