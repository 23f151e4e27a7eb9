//! Tenancy inside a cluster: namespaces of projects with their roles, limits and policies, kept as the platform wants
//! them.
//!
//! Guarantees: what the platform keeps is put right as soon as the API tells of a difference; what tenants add beside it
//! stays; a namespace is removed only when its project is said to have ended.
//! Assumes it is alone: a control plane runs one.
//! It needs the API server and the file, and nothing else of the platform.

mod act;
mod admission;
mod desired;
mod limits;
mod live;
mod namespace;
mod network;
mod object;
mod plan;
mod roles;
mod told;
mod watch;

use std::{
    error::Error,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use futures::{FutureExt, StreamExt};
use kube::Client;
use serde_json::Value;
use types::{Timestamp, tenancy::Tenancy};

use self::{
    live::Live,
    object::{Key, Kind},
};
use crate::file::FileChanges;

/// How soon what failed is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// How often the API is asked whether it lets us in.
const KNOCK: Duration = Duration::from_millis(250);
/// Clocks are set; a time that is far off is looked at again.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

pub struct Controller {
    client: Client,
    path: PathBuf,
    changes: FileChanges,
    told: Option<Tenancy>,
    live: Live,
    kinds: Vec<Kind>,
    orphans: Vec<String>,
}

impl Controller {
    pub fn new(client: Client, path: PathBuf) -> std::io::Result<Self> {
        Ok(Self {
            changes: FileChanges::of(&path)?,
            client,
            path,
            told: None,
            live: Live::default(),
            kinds: Vec::new(),
            orphans: Vec::new(),
        })
    }

    pub async fn run(mut self) {
        self.kinds = self.enter().await;
        let mut events = watch::events(&self.client, &self.kinds);
        self.reread();
        loop {
            let wait = self.put_right().await;
            tokio::select! {
                Some(event) = events.next() => {
                    let mut event = Some(event);
                    // All that is told at once is acted on at once.
                    while let Some((kind, told)) = event {
                        self.take(kind, told);
                        event = events.next().now_or_never().flatten();
                    }
                }
                () = self.changes.next() => self.reread(),
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// The API is there before the platform has told it who we are.
    async fn enter(&self) -> Vec<Kind> {
        let mut said = None;
        let kinds = loop {
            match watch::served(&self.client).await {
                Ok(kinds) => break kinds,
                Err(error) => {
                    let reason = chain(&error);
                    if said.as_ref() != Some(&reason) {
                        tracing::info!(%reason, "waiting for the API");
                        said = Some(reason);
                    }
                }
            }
            tokio::time::sleep(KNOCK).await;
        };
        if !kinds.iter().any(|kind| kind.is_admission()) {
            tracing::warn!(
                "this release has no admission policies: changes to what the platform keeps are put right, not refused"
            );
        }
        kinds
    }

    fn take(
        &mut self,
        kind: Kind,
        told: Result<kube::runtime::watcher::Event<kube::core::DynamicObject>, kube::runtime::watcher::Error>,
    ) {
        match told {
            Ok(event) => self.live.take(kind, event),
            Err(error) => {
                tracing::info!(kind = kind.plural(), reason = %chain(&error), "a watch is begun again");
            }
        }
    }

    /// What was last understood stays in force.
    fn reread(&mut self) {
        match told::read(&self.path) {
            Ok(told) => {
                tracing::info!(cluster = %told.cluster, projects = told.projects.len(), "told of tenants");
                self.told = Some(told);
            }
            Err(error) => {
                tracing::error!(path = %self.path.display(), reason = %chain(&error), "not understood")
            }
        }
    }

    /// How long to wait if nothing happens.
    async fn put_right(&mut self) -> Duration {
        let Some(told) = &self.told else {
            return LONGEST_WAIT;
        };
        if !self.live.knows(&self.kinds) {
            return LONGEST_WAIT;
        }
        let plan = plan::plan(told, &self.live, &self.kinds, now());
        if plan.orphans != self.orphans {
            for namespace in &plan.orphans {
                tracing::warn!(%namespace, "belongs to nobody the platform speaks of; it is left as it is");
            }
            self.orphans = plan.orphans;
        }
        let mut failed = false;
        let together = plan.acts.chunk_by(|a, b| a.key().kind.goes_with(b.key().kind));
        for acts in together {
            let done = acts.iter().map(|act| act::perform(&self.client, act));
            for done in futures::future::join_all(done).await {
                failed |= self.note(done).is_none();
            }
        }
        let next = plan.next.map_or(LONGEST_WAIT, until);
        if failed { RETRY } else { next.min(LONGEST_WAIT) }
    }

    /// None if it has to be tried again.
    fn note(&mut self, done: Result<(Key, Option<Value>), act::ActError>) -> Option<()> {
        match done {
            Ok((key, left)) => {
                tracing::info!(object = %key, there = left.is_some(), "put right");
                match left {
                    Some(body) => self.live.put(key, body),
                    None => self.live.forget(&key),
                }
                Some(())
            }
            Err(error) => {
                tracing::warn!(reason = %chain(&error), "tried again");
                None
            }
        }
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

fn until(then: Timestamp) -> Duration {
    Duration::from_secs(u64::try_from(then.0 - now().0).unwrap_or(0).max(1))
}

/// An error with all that is below it; where the API refused, in its own words.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let refusal = match error.downcast_ref() {
            Some(kube::Error::Api(status)) => Some(format!("{} ({})", status.message, status.code)),
            _ => None,
        };
        next = error.source().filter(|_| refusal.is_none());
        let told = refusal.unwrap_or_else(|| error.to_string());
        // Some repeat what is below them.
        if !text.ends_with(&told) {
            let colon = if text.is_empty() { "" } else { ": " };
            text = format!("{text}{colon}{told}");
        }
    }
    text
}

#[cfg(test)]
mod tests;
