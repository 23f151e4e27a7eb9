//! Time through a seam, so that tests own it.

use types::Timestamp;

pub trait Clock: Send + Sync {
    /// Milliseconds since the epoch; may jump when the host's clock is set.
    fn unix_ms(&self) -> i64;

    /// Milliseconds since some fixed point; never goes back. Leases and time-outs are measured with it.
    fn monotonic_ms(&self) -> u64;

    fn now(&self) -> Timestamp {
        Timestamp(self.unix_ms().div_euclid(1000))
    }
}

/// The host's clocks.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    origin: std::time::Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            origin: std::time::Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn unix_ms(&self) -> i64 {
        let since = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
