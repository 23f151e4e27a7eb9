//! `cloud audit list`

use std::collections::BTreeSet;

use api::{
    audit::{AuditView, StageView},
    client::{AuditQuery, Client},
    moment,
};
use clap::Args;
use types::Timestamp;

use crate::{
    commands::user::OfOrg,
    failure::Failure,
    output::{Format, Output},
    surroundings,
};

#[derive(Debug, Args)]
pub struct List {
    /// Not before: an age such as 90s, 15m, 1h or 7d, or a moment such as 2026-11-15T21:00:00Z
    #[arg(long, value_name = "WHEN", value_parser = When::parse)]
    since: Option<When>,
    /// Before this, given in the same way
    #[arg(long, value_name = "WHEN", value_parser = When::parse)]
    until: Option<When>,
    /// Only what this one did: id or name of a user or service account
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    #[command(flatten)]
    of: OfOrg,
    /// At most so many records
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum When {
    Ago(i64),
    Moment(String),
}

impl When {
    fn parse(given: &str) -> Result<Self, String> {
        if moment::from_wire(given).is_some() {
            return Ok(Self::Moment(given.to_owned()));
        }
        let wrong =
            || format!("'{given}' is neither an age such as 1h nor a moment such as 2026-11-15T21:00:00Z");
        let unit = given.chars().next_back().ok_or_else(wrong)?;
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return Err(wrong()),
        };
        let number: u32 = given[..given.len() - 1].parse().map_err(|_| wrong())?;
        Ok(Self::Ago(i64::from(number) * seconds))
    }

    fn to_wire(&self, now: Timestamp) -> String {
        match self {
            Self::Ago(seconds) => moment::to_wire(now.plus(-seconds)),
            Self::Moment(moment) => moment.clone(),
        }
    }
}

impl List {
    /// `in_project` when one was named.
    pub async fn run(self, client: &Client, in_project: bool) -> Result<(), Failure> {
        let now = surroundings::now();
        let query = AuditQuery {
            since: self.since.map(|when| when.to_wire(now)),
            until: self.until.map(|when| when.to_wire(now)),
            actor: self.actor,
        };
        let pages = match &self.of.org {
            Some(org) => client.org_audit(org, &query),
            None if !in_project && client.whoami().await?.is_platform_admin() => client.audit(&query),
            None => client.project_audit(&query),
        };
        let found = pages.first(self.limit).await?;
        let rows = match self.output.output {
            Format::Table => without_beginnings(&found.records),
            Format::Wide | Format::Json | Format::Yaml => found.records.clone(),
        };
        self.output.list(&found, &rows)
    }
}

/// A call whose outcome is shown needs no line for its beginning.
fn without_beginnings(records: &[AuditView]) -> Vec<AuditView> {
    let ended: BTreeSet<&str> = records
        .iter()
        .filter(|record| record.stage == StageView::Ended)
        .map(|record| record.request.as_str())
        .collect();
    let is_shown =
        |record: &&AuditView| record.stage == StageView::Ended || !ended.contains(record.request.as_str());
    records.iter().filter(is_shown).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_moments() {
        let now = Timestamp(1_794_776_400);
        for (given, from) in [
            ("90s", "2026-11-15T20:58:30Z"),
            ("1h", "2026-11-15T20:00:00Z"),
            ("7d", "2026-11-08T21:00:00Z"),
            ("2026-11-15T22:00:00+01:00", "2026-11-15T22:00:00+01:00"),
        ] {
            assert_eq!(When::parse(given).unwrap().to_wire(now), from);
        }
        for bad in ["", "h", "1", "-1h", "1w", "1é", "yesterday", "99999999999s"] {
            assert!(When::parse(bad).is_err(), "{bad}");
        }
    }
}
