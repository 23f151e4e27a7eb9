//! `cloud token create`: the token alone on standard output, so that it can be captured.

use api::{client::Client, tenant::TokenCreate};
use clap::Args;

use crate::{duration::Lifetime, failure::Failure, surroundings::print};

#[derive(Debug, Args)]
pub struct Create {
    /// Service account, by name or id
    #[arg(long, value_name = "NAME")]
    sa: String,
    /// How long it is good, such as 30m, 1h or 24h
    #[arg(long, value_name = "TIME", default_value = "1h")]
    ttl: Lifetime,
}

impl Create {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let request = TokenCreate {
            service_account: self.sa,
            ttl_seconds: Some(self.ttl.seconds),
        };
        let fresh = client.create_token(&request).await?;
        print(&format!("{}\n", fresh.token))?;
        eprintln!(
            "{} is good until {}; it is shown this once",
            fresh.id, fresh.expires
        );
        Ok(())
    }
}
