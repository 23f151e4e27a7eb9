//! When to try again, and when an operation has failed for good.

use types::Fault;

const FIRST_MS: i64 = 500;
const LONGEST_MS: i64 = 30_000;
/// Failures in a row after which an operation is called failed; the reconciler goes on at the longest interval.
pub const GIVE_UP_AFTER: u32 = 5;

/// Code of the fault of a step that answered "not yet" for too long. It has been waited for already.
pub const OUT_OF_PATIENCE: &str = "step-timeout";

pub fn delay_ms(failures: u32) -> i64 {
    FIRST_MS
        .saturating_mul(1i64 << failures.saturating_sub(1).min(16))
        .min(LONGEST_MS)
}

pub fn is_hopeless(fault: &Fault, failures: u32) -> bool {
    !fault.kind.is_transient() || fault.code == OUT_OF_PATIENCE || failures >= GIVE_UP_AFTER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_limit() {
        assert_eq!(
            [1, 2, 3, 7, 8, 1000].map(delay_ms),
            [500, 1000, 2000, 30_000, 30_000, 30_000]
        );
    }

    #[test]
    fn what_cannot_get_better_is_not_tried_again() {
        let refused = Fault::refused("x", "y", "z");
        let passing = Fault::unavailable("x", "y", "z");
        assert!(is_hopeless(&refused, 1));
        assert!(!is_hopeless(&passing, 1));
        assert!(is_hopeless(&passing, GIVE_UP_AFTER));
        assert!(is_hopeless(&Fault::unavailable(OUT_OF_PATIENCE, "y", "z"), 1));
    }
}
