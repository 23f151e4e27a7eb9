//! `cloud admin rotate-key`

use std::time::Duration;

use api::{client::Client, keys::KeyList};
use clap::Args;

use crate::{
    failure::{Exit, Failure},
    surroundings::print,
};

/// Between two looks at how far it is.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
pub struct RotateKey {
    /// Do not wait until every secret is under the new key; `cloud admin keys` shows how far it is
    #[arg(long)]
    no_wait: bool,
}

impl RotateKey {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let mut now = client.rotate_key().await?;
        let newest = now.keys.last().map(|key| key.mark.clone()).unwrap_or_default();
        eprintln!("{newest} seals from now on");
        if self.no_wait {
            return print(&format!("{newest}\n"));
        }
        let mut told = None;
        while now.keys.len() > 1 {
            if let Some(trouble) = now.trouble {
                return Err(Failure::new(
                    Exit::Failed,
                    &trouble.code,
                    format!("the old key is still needed: {}", trouble.cause),
                    trouble.remedy,
                ));
            }
            let left = left(&now);
            if told != Some(left) {
                eprintln!("{left} secrets are left under old keys");
                told = Some(left);
            }
            tokio::time::sleep(LOOK).await;
            now = client.list_keys().await?;
        }
        let rows = now.keys.last().map_or(0, |key| key.rows);
        print(&format!(
            "{rows} secrets are under {newest}; no other key is kept\n"
        ))
    }
}

fn left(now: &KeyList) -> u64 {
    now.keys.iter().filter(|key| !key.seals).map(|key| key.rows).sum()
}
