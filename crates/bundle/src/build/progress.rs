//! How a build tells what it is doing. The caller decides how to show it.

use std::time::Duration;

/// Something happened to a named step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Somebody else holds the cache; the build goes on when they are done.
    Waiting {
        reason: String,
    },
    /// How many steps there are and how many need no work.
    Planned {
        steps: usize,
        cached: usize,
    },
    Started {
        step: String,
    },
    /// The result was there.
    Cached {
        step: String,
    },
    Finished {
        step: String,
        took: Duration,
    },
}

/// Receives events, possibly from several threads at once.
pub trait Progress: Sync {
    fn on(&self, event: Event);
}

impl<F: Fn(Event) + Sync> Progress for F {
    fn on(&self, event: Event) {
        self(event);
    }
}
