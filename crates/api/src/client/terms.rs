//! On what terms the client asks: a key for everything it makes, so that it may ask again when the connection is lost
//! before the answer came; and conditions for those who change what they read.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};
use types::RequestId;

use super::{
    Client, ClientError,
    connection::{Headers, Payload},
};
use crate::{routes::Method, terms};

/// How long to wait before a call whose answer was lost is sent again; a daemon that is restarted is back by then.
const AGAIN: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
];

/// What a thing was when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag(pub String);

/// How what is changed must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// As it was read.
    As(Tag),
    /// Not there yet.
    Absent,
}

impl Condition {
    /// What was not found when it was read must not be there when it is written.
    pub fn of(read: Option<Tag>) -> Self {
        read.map_or(Self::Absent, Self::As)
    }

    fn header(&self) -> (&'static str, String) {
        match self {
            Self::As(Tag(tag)) => ("if-match", tag.clone()),
            Self::Absent => ("if-none-match", "*".to_owned()),
        }
    }
}

/// Where keys come from: a new one for each call, unless the caller has one of their own.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys {
    own: Option<String>,
    /// How often the caller's own was used on a path. The second call there is another call, in a command that is run
    /// again as in the first run.
    used: Arc<Mutex<BTreeMap<String, u32>>>,
}

impl Keys {
    pub fn own(key: String) -> Self {
        Self {
            own: Some(key),
            used: Arc::default(),
        }
    }

    fn next(&self, path: &str) -> String {
        let Some(own) = &self.own else {
            return RequestId::generate().to_string();
        };
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let times = used.entry(path.to_owned()).or_default();
        *times += 1;
        match *times {
            1 => own.clone(),
            more => format!("{own}.{more}"),
        }
    }
}

impl Client {
    /// Makes something with this key instead of a new one each time: run again with it, a command makes nothing twice.
    pub fn with_idempotency_key(self, key: String) -> Self {
        Self {
            keys: Keys::own(key),
            ..self
        }
    }

    /// Makes something, once: when the answer is lost, it is asked for again with the same key.
    pub(super) async fn make<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Option<&(impl Serialize + Sync)>,
    ) -> Result<T, ClientError> {
        let headers: Headers = vec![(terms::IDEMPOTENCY_KEY, self.keys.next(path))];
        let body = body.map(serde_json::to_vec).transpose();
        let body = body.map_err(|error| ClientError::Protocol {
            detail: error.to_string(),
        })?;
        let ask = || {
            let payload = body.clone().map_or(Payload::Empty, Payload::Json);
            self.connection
                .json_with(Method::Post, path, payload, headers.clone())
        };
        let mut answer = ask().await;
        for pause in AGAIN {
            let lost = matches!(answer, Err(ClientError::Lost { .. }));
            if !lost {
                break;
            }
            tokio::time::sleep(pause).await;
            answer = match ask().await {
                // It is not there at all now; that it was carried out is as open as before.
                Err(ClientError::Unreachable { endpoint, source }) => {
                    Err(ClientError::Lost { endpoint, source })
                }
                other => other,
            };
        }
        answer
    }

    /// Reads something with what it is now.
    pub(super) async fn read<T: DeserializeOwned>(&self, path: &str) -> Result<(T, Tag), ClientError> {
        self.connection.tagged(path).await
    }

    pub(super) async fn put_if<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        condition: &Condition,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).map_err(|error| ClientError::Protocol {
            detail: error.to_string(),
        })?;
        self.connection
            .json_with(Method::Put, path, Payload::Json(body), vec![condition.header()])
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_a_key_of_its_own_and_a_command_run_again_has_the_same_ones() {
        let keys = Keys::default();
        assert_ne!(keys.next("/a"), keys.next("/a"));
        for _ in 0..2 {
            let keys = Keys::own("k".to_owned());
            let drawn = [keys.next("/a"), keys.next("/a"), keys.next("/b")];
            assert_eq!(drawn, ["k", "k.2", "k"]);
        }
        assert!(terms::is_key(&Keys::default().next("/a")));
    }

    #[test]
    fn what_was_not_there_must_not_be_there() {
        assert_eq!(Condition::of(None), Condition::Absent);
        let tag = Tag("\"a\"".to_owned());
        assert_eq!(
            Condition::of(Some(tag)).header(),
            ("if-match", "\"a\"".to_owned())
        );
    }
}
