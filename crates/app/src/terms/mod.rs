//! On what terms a call is carried out: once, however often it is sent (`OnceKey`), and only if what it changes is still
//! as its caller saw it (`Expected`).
//!
//! Terms travel with the task that carries a call out rather than through every signature: whoever decides about a
//! change asks for them where the books are read and written, so both hold in the same transaction as the change.

mod once;
mod revision;

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use types::{Fault, FaultKind};

pub(crate) use once::accept_once;
pub use once::{OnceKey, trim};
pub use revision::{Revised, Revision, of_org_quota, of_quota};

tokio::task_local! {
    static TERMS: Arc<Terms>;
}

/// How what is to be changed must be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Expected {
    #[default]
    Anything,
    /// There, whatever it is.
    There,
    /// Not there.
    Absent,
    /// At one of these revisions.
    At(Vec<Revision>),
}

#[derive(Debug, Default)]
pub struct Terms {
    pub once: Option<OnceKey>,
    pub expected: Expected,
    heard: Mutex<Heard>,
}

/// What whoever set the terms wants to know afterwards.
#[derive(Debug, Clone, Default)]
struct Heard {
    replayed: bool,
    found: Option<Revision>,
}

impl Terms {
    pub fn new(once: Option<OnceKey>, expected: Expected) -> Arc<Self> {
        Arc::new(Self {
            once,
            expected,
            heard: Mutex::default(),
        })
    }

    /// Whether the call had been carried out before, and its answer is the first one's.
    pub fn was_replayed(&self) -> bool {
        self.heard().replayed
    }

    /// The revision that was found where another was expected.
    pub fn found(&self) -> Option<Revision> {
        self.heard().found.clone()
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Carries something out on these terms.
pub async fn under<F: Future>(terms: Arc<Terms>, call: F) -> F::Output {
    TERMS.scope(terms, call).await
}

fn current() -> Option<Arc<Terms>> {
    TERMS.try_with(Arc::clone).ok()
}

/// Refuses to change what is not as the caller expects it.
pub fn expect(found: Option<&impl Revised>) -> Result<(), Fault> {
    expect_at(found.map(Revised::revision))
}

/// The same of a part of something.
pub fn expect_at(found: Option<Revision>) -> Result<(), Fault> {
    let Some(terms) = current() else {
        return Ok(());
    };
    let holds = match (&terms.expected, &found) {
        (Expected::Anything, _) | (Expected::There, Some(_)) | (Expected::Absent, None) => true,
        (Expected::There, None) | (Expected::Absent, Some(_)) | (Expected::At(_), None) => false,
        (Expected::At(seen), Some(found)) => seen.contains(found),
    };
    if holds {
        return Ok(());
    }
    terms.heard().found.clone_from(&found);
    let (cause, remedy) = match (&terms.expected, found) {
        (Expected::Absent, _) => (
            "it exists already, and was to be made only if it did not".to_owned(),
            "leave If-None-Match out to change it, or choose another name",
        ),
        (_, None) => (
            "it does not exist, and was to be changed only if it did".to_owned(),
            "leave If-Match out to make it",
        ),
        (_, Some(now)) => (
            format!("somebody changed it since it was read; its revision is now {now}"),
            "read it again, see what changed, and send the change with its present ETag",
        ),
    };
    Err(Fault::new(FaultKind::Stale, "precondition-failed", cause, remedy))
}
