//! Waiting for a condition, for a bounded time, and saying what was last seen when it did not come.

use std::time::{Duration, Instant};

const ASK_AGAIN: Duration = Duration::from_millis(200);

/// Asks until the answer is `Ok`. `Err` says what was seen instead.
pub fn eventually<T>(what: &str, within: Duration, mut ask: impl FnMut() -> Result<T, String>) -> T {
    let start = Instant::now();
    loop {
        match ask() {
            Ok(value) => return value,
            Err(seen) if start.elapsed() >= within => {
                panic!("not within {} s: {what}\nlast seen: {seen}", within.as_secs())
            }
            Err(_) => pause(),
        }
    }
}

/// Asks for the whole time, and fails with the first answer that is not `Ok`.
pub fn holds_for(what: &str, time: Duration, mut ask: impl FnMut() -> Result<(), String>) {
    let start = Instant::now();
    while start.elapsed() < time {
        if let Err(seen) = ask() {
            panic!(
                "after {:.1} s: {what} no longer holds\nseen: {seen}",
                start.elapsed().as_secs_f64()
            );
        }
        pause();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the pause between two looks at a condition that nobody announces"
)]
pub(crate) fn pause() {
    std::thread::sleep(ASK_AGAIN);
}
