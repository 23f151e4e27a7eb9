//! `cloud audit verify`

use api::client::Client;
use clap::Args;

use crate::{
    failure::{Exit, Failure},
    surroundings::print,
};

#[derive(Debug, Args)]
pub struct Verify {
    /// Number and hash of a record, as an earlier verify ended with: it must still be there. Tells also of a database that
    /// was put back as a whole
    #[arg(long, value_name = "NUMBER:HASH")]
    known: Option<String>,
}

impl Verify {
    pub async fn run(self, client: &Client) -> Result<(), Failure> {
        let verdict = client.verify_audit(self.known.as_deref()).await?;
        match verdict.broken {
            None => print(&format!(
                "the audit log is as it was written: {} records, up to\n{}\n",
                verdict.records, verdict.head
            )),
            Some(broken) => Err(Failure::new(
                Exit::Failed,
                "audit-broken",
                format!("{}; what comes before it is good", broken.how),
                format!(
                    "somebody changed the platform's database: keep a copy of it, find out who could write to it, and \
                     compare with a backup; the last good record is {}",
                    verdict.head
                ),
            )),
        }
    }
}
