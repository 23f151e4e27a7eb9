//! How often one may ask: a bucket for each principal, and one for each address of those who are not known yet. Whoever
//! empties theirs waits for it to fill, and nobody else does.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// So many at once, and so many a second for ever.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    pub burst: f64,
    pub per_second: f64,
}

/// Passwords and refresh tokens, from one address.
pub const AT_THE_DOOR: Rate = Rate {
    burst: 60.0,
    per_second: 10.0,
};

/// Requests without a good token, from one address: each costs a signature's check and two records in the audit log.
pub const UNKNOWN: Rate = Rate {
    burst: 300.0,
    per_second: 50.0,
};

/// Full buckets say nothing and are forgotten when there are this many.
const BUCKETS: usize = 4096;

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

#[derive(Debug, Default)]
pub struct Limits(Mutex<HashMap<String, Bucket>>);

impl Limits {
    /// How long to wait, if there is nothing left.
    pub fn take(&self, who: &str, rate: Rate, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS && !buckets.contains_key(who) {
            buckets.retain(|_, bucket| filled(*bucket, rate, now) < rate.burst);
        }
        let bucket = buckets.entry(who.to_owned()).or_insert(Bucket {
            left: rate.burst,
            at: now,
        });
        let left = filled(*bucket, rate, now);
        if left >= 1.0 {
            *bucket = Bucket {
                left: left - 1.0,
                at: now,
            };
            return Ok(());
        }
        *bucket = Bucket { left, at: now };
        Err(Duration::from_secs_f64((1.0 - left) / rate.per_second))
    }
}

fn filled(bucket: Bucket, rate: Rate, now: Instant) -> f64 {
    let since = now.saturating_duration_since(bucket.at).as_secs_f64();
    (bucket.left + since * rate.per_second).min(rate.burst)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        burst: 3.0,
        per_second: 2.0,
    };

    #[test]
    fn whoever_asks_too_often_waits_and_the_others_do_not() {
        let (limits, start) = (Limits::default(), Instant::now());
        for _ in 0..3 {
            limits.take("ana", RATE, start).unwrap();
        }
        assert_eq!(limits.take("ana", RATE, start), Err(Duration::from_millis(500)));
        limits.take("bob", RATE, start).unwrap();
        let later = start + Duration::from_millis(500);
        limits.take("ana", RATE, later).unwrap();
        assert!(limits.take("ana", RATE, later).is_err());
        // A long rest fills the bucket and no more.
        let rested = start + Duration::from_secs(3600);
        for _ in 0..3 {
            limits.take("ana", RATE, rested).unwrap();
        }
        assert!(limits.take("ana", RATE, rested).is_err());
    }

    #[test]
    fn names_nobody_uses_any_more_are_forgotten() {
        let (limits, start) = (Limits::default(), Instant::now());
        for n in 0..BUCKETS * 2 {
            let at = start + Duration::from_secs(n as u64);
            limits.take(&n.to_string(), RATE, at).unwrap();
        }
        assert!(limits.0.lock().unwrap().len() <= BUCKETS);
    }
}
