//! Carrying a call out once.
//!
//! The key is written in the transaction that accepts the call, together with what was decided. So there is no moment at
//! which the thing is made and the key is not known: whoever dies in between, the next call with that key finds either
//! neither or both. Of any number of calls at once one is accepted; the others find its answer. A call that was refused
//! wrote nothing, and is not kept: sent again, it is decided again.

use futures::future::BoxFuture;
use ports::{
    Store,
    store::{Batch, Doc, Entity, Filter, PLATFORM, Write},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use types::{Fault, Timestamp};
use workflow::Signals;

use super::{Terms, current};
use crate::{
    books::{self, Decision},
    records,
};

/// How long a key is remembered.
const KEPT_S: i64 = 86_400;

/// Who calls what with which key, and with which words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnceKey {
    id: String,
    words: String,
}

impl OnceKey {
    /// `words` is everything of the call that must be the same when it is sent again.
    pub fn new(principal: &str, route: &str, key: &str, words: &[&[u8]]) -> Self {
        Self {
            id: digest(&[principal.as_bytes(), route.as_bytes(), key.as_bytes()]),
            words: digest(words),
        }
    }
}

fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // With its length, so that no two lists of parts run into the same bytes.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A call that was accepted. Holds digests of what was asked, and the answer, which holds nothing secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    id: String,
    words: String,
    answer: serde_json::Value,
    accepted: Timestamp,
}

const KEPT: &str = "idempotency-key";

impl Entity for Kept {
    const KIND: &'static str = KEPT;
    fn id(&self) -> &str {
        &self.id
    }
    fn scope(&self) -> &str {
        PLATFORM
    }
    fn name(&self) -> Option<&str> {
        None
    }
    fn parent(&self) -> Option<&str> {
        None
    }
}

impl Kept {
    fn is_over(&self, now: Timestamp) -> bool {
        self.accepted.plus(KEPT_S) <= now
    }
}

/// Accepts a change as [`books::accept`] does, once for each key.
pub(crate) async fn accept_once<'a, T: Serialize + DeserializeOwned + Send>(
    store: &dyn Store,
    signals: &Signals,
    now: Timestamp,
    decide: impl Fn() -> BoxFuture<'a, Result<Decision<T>, Fault>> + Send + Sync,
) -> Result<T, Fault> {
    let terms = current();
    let Some((terms, key)) = terms.as_deref().and_then(|t| t.once.as_ref().map(|key| (t, key))) else {
        return books::accept(store, signals, decide).await;
    };
    let decide = &decide;
    let accepted = books::accept(store, signals, move || {
        Box::pin(async move {
            if let Some(answer) = earlier(store, terms, key, now).await? {
                return Ok(Decision::Answer(answer));
            }
            let (mut writes, answer) = match decide().await? {
                Decision::Write { writes, answer } => (writes, answer),
                Decision::Answer(answer) => (Vec::new(), answer),
            };
            let kept = serde_json::to_value(&answer)
                .map_err(|error| Fault::internal("idempotency-answer", error.to_string()))?;
            writes.push(keep(store, key, kept, now).await?);
            Ok(Decision::Write { writes, answer })
        })
    })
    .await;
    match accepted {
        Ok(answer) => Ok(answer),
        // Of two at once, the one that lost may have met what the other made before it saw the other's key.
        Err(fault) => earlier(store, terms, key, now).await?.ok_or(fault),
    }
}

/// The answer to the first call with this key.
async fn earlier<T: DeserializeOwned>(
    store: &dyn Store,
    terms: &Terms,
    key: &OnceKey,
    now: Timestamp,
) -> Result<Option<T>, Fault> {
    let found = records::get::<Kept>(store, &key.id).await?;
    let Some(kept) = found.map(|kept| kept.value).filter(|kept| !kept.is_over(now)) else {
        return Ok(None);
    };
    if kept.words != key.words {
        return Err(Fault::refused(
            "idempotency-key-reused",
            "another call was sent with this Idempotency-Key",
            "give every call a key of its own, and the same key only to the same call sent again",
        ));
    }
    let answer = serde_json::from_value(kept.answer).map_err(|error| {
        Fault::internal(
            "idempotency-answer",
            format!("the answer that was kept cannot be read: {error}"),
        )
    })?;
    terms.heard().replayed = true;
    Ok(Some(answer))
}

/// In place of one that is over, where there is one.
async fn keep(
    store: &dyn Store,
    key: &OnceKey,
    answer: serde_json::Value,
    now: Timestamp,
) -> Result<Write, Fault> {
    let old = records::get::<Kept>(store, &key.id).await?;
    let kept = Kept {
        id: key.id.clone(),
        words: key.words.clone(),
        answer,
        accepted: now,
    };
    Ok(Write::Put(Doc::new(&kept, old.map_or(0, |old| old.version))))
}

/// Forgets the keys whose time is over; answers how many.
pub async fn trim(store: &dyn Store, now: Timestamp) -> Result<usize, Fault> {
    let all = records::list::<Kept>(store, &Filter::default()).await?;
    let writes: Vec<Write> = all
        .into_iter()
        .filter(|kept| kept.value.is_over(now))
        .map(|kept| Write::Delete {
            kind: KEPT,
            id: kept.value.id,
        })
        .collect();
    let over = writes.len();
    let batch = Batch { fence: None, writes };
    store.commit(batch).await.map_err(records::fault)?;
    Ok(over)
}
