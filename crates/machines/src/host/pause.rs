//! Waiting between two looks at something the kernel announces to nobody: a busy mount, a dying cgroup, a loop device
//! that lets go.

use std::time::Duration;

#[expect(
    clippy::disallowed_methods,
    reason = "the kernel has no event for what is waited for; every caller has a deadline"
)]
pub fn pause(time: Duration) {
    std::thread::sleep(time);
}
