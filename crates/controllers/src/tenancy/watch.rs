//! Watching what we keep: every object that carries our label, of every kind, and every namespace. One that is deleted,
//! or loses the label, is told of at once.

use std::time::Duration;

use futures::{
    StreamExt,
    stream::{BoxStream, SelectAll},
};
use kube::{
    Client,
    api::{Api, ListParams},
    core::DynamicObject,
    runtime::{
        WatchStreamExt,
        utils::Backoff,
        watcher::{self, Event, watcher},
    },
};

use super::object::{ADMISSION, Kind, MANAGED};

pub type Events = SelectAll<BoxStream<'static, (Kind, Result<Event<DynamicObject>, watcher::Error>)>>;

fn selector() -> String {
    format!("{MANAGED}=true")
}

pub fn events(client: &Client, kinds: &[Kind]) -> Events {
    let streams = kinds.iter().map(|kind| {
        let kind = *kind;
        let api: Api<DynamicObject> = Api::all_with(client.clone(), &kind.resource());
        // Of namespaces all: rights are granted in those of others too.
        let config = match kind {
            Kind::Namespace => watcher::Config::default(),
            _ => watcher::Config::default().labels(&selector()),
        };
        // It hands them on as they come and keeps none.
        watcher(api, config)
            .backoff(Rest::default())
            .map(move |event| (kind, event))
            .boxed()
    });
    futures::stream::select_all(streams)
}

#[derive(Debug, thiserror::Error)]
pub enum EnterError {
    #[error("it refuses us, or cannot be reached")]
    Refused(#[from] kube::Error),
    #[error("it does not answer")]
    Silent,
}

const CALL_LIMIT: Duration = Duration::from_secs(10);

/// The kinds we keep that this cluster serves; `Err` while it does not let us in, as before it knows us.
pub async fn served(client: &Client) -> Result<Vec<Kind>, EnterError> {
    match tokio::time::timeout(CALL_LIMIT, ask(client)).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(EnterError::Silent),
    }
}

async fn ask(client: &Client) -> Result<Vec<Kind>, kube::Error> {
    let namespaces: Api<DynamicObject> = Api::all_with(client.clone(), &Kind::Namespace.resource());
    namespaces
        .list_metadata(&ListParams::default().labels(&selector()).limit(1))
        .await?;
    let group = client
        .list_api_group_resources(&format!("{ADMISSION}/v1"))
        .await?;
    let serves = |kind: &Kind| {
        !kind.is_admission() || group.resources.iter().any(|served| served.name == kind.plural())
    };
    Ok(Kind::ALL.into_iter().filter(serves).collect())
}

/// Between two tries of a watch. The API is on the same machine: it is down for moments, and asking costs little.
#[derive(Debug, Default)]
struct Rest(u32);

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(2);

impl Iterator for Rest {
    type Item = Duration;
    fn next(&mut self) -> Option<Duration> {
        let rest = FIRST.saturating_mul(1 << self.0.min(16)).min(LONGEST);
        self.0 = self.0.saturating_add(1);
        Some(rest)
    }
}

impl Backoff for Rest {
    fn reset(&mut self) {
        self.0 = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_grow_to_a_limit_and_begin_anew() {
        let mut rest = Rest::default();
        let taken: Vec<u128> = rest.by_ref().take(7).map(|d| d.as_millis()).collect();
        assert_eq!(taken, [100, 200, 400, 800, 1600, 2000, 2000]);
        rest.reset();
        assert_eq!(rest.next(), Some(FIRST));
    }
}
