//! When a process that died is started again: soon, then ever later, and soon again once it has stayed up.

use std::time::Duration;

pub const FIRST: Duration = Duration::from_millis(100);
pub const LONGEST: Duration = Duration::from_secs(5);
/// Up this long, the deaths before it no longer count.
pub const STEADY: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    next: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { next: FIRST }
    }
}

impl Backoff {
    /// How long to rest after a process that was up for `lived`.
    pub fn after(&mut self, lived: Duration) -> Duration {
        if lived >= STEADY {
            self.next = FIRST;
        }
        let rest = self.next;
        self.next = (self.next * 2).min(LONGEST);
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_doubles_to_a_limit_and_forgets_after_a_steady_run() {
        let mut backoff = Backoff::default();
        let short = Duration::from_secs(1);
        let rests: Vec<u128> = (0..8).map(|_| backoff.after(short).as_millis()).collect();
        assert_eq!(rests, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert_eq!(backoff.after(STEADY), FIRST);
        assert_eq!(backoff.after(short), FIRST * 2);
    }
}
