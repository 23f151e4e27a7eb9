//! The peer: the same programs started bare on the host, as a person with the upstream documentation would: the flags
//! that are needed, nothing tuned.

mod cluster;
mod keys;
mod node;
mod plane;
mod room;
mod start;

pub use cluster::BareCluster;
pub use room::Room;
pub use start::starts;

use std::time::Duration;

use bundle::{Bundle, Cache};

pub fn bundle() -> Bundle {
    let cache =
        std::env::var("PLASMACLOUD_CACHE_DIR").unwrap_or_else(|_| "/var/cache/plasmacloud".to_owned());
    let found = Cache::open(cache).and_then(|cache| cache.resolve(bundle::DEFAULT_LINE));
    found
        .expect("the cache opens")
        .expect("the default bundle is there")
}

#[expect(
    clippy::disallowed_methods,
    reason = "asking a process that is starting; there is nothing to wait on"
)]
pub fn pause() {
    std::thread::sleep(Duration::from_millis(50));
}
