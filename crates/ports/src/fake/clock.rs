//! A clock that moves when a test says so. Clones show the same time.

use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use crate::clock::Clock;

#[derive(Debug, Clone)]
pub struct ManualClock {
    unix_ms: Arc<AtomicI64>,
    monotonic_ms: Arc<AtomicU64>,
}

impl ManualClock {
    pub fn at(unix_ms: i64) -> Self {
        Self {
            unix_ms: Arc::new(AtomicI64::new(unix_ms)),
            monotonic_ms: Arc::default(),
        }
    }

    /// Time passes.
    pub fn advance(&self, ms: u64) {
        self.monotonic_ms.fetch_add(ms, Ordering::SeqCst);
        self.unix_ms
            .fetch_add(i64::try_from(ms).unwrap_or(i64::MAX), Ordering::SeqCst);
    }

    /// Somebody sets the host's clock; no time passes.
    pub fn jump(&self, ms: i64) {
        self.unix_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Default for ManualClock {
    /// Some day in November 2023.
    fn default() -> Self {
        Self::at(1_700_000_000_000)
    }
}

impl Clock for ManualClock {
    fn unix_ms(&self) -> i64 {
        self.unix_ms.load(Ordering::SeqCst)
    }

    fn monotonic_ms(&self) -> u64 {
        self.monotonic_ms.load(Ordering::SeqCst)
    }
}
