//! Steps going by: live on a terminal, a line for each change elsewhere.

mod lines;
mod live;
mod tracker;

use std::time::Duration;

pub use lines::Lines;
pub use live::Live;
pub use tracker::Tracker;

use crate::surroundings;

/// Something that happened to a step, or a word in between. Keys tell steps of equal title apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Update {
    Started {
        key: String,
        title: String,
    },
    Done {
        key: String,
        title: String,
        took: Duration,
    },
    Failed {
        key: String,
        title: String,
        cause: String,
    },
    Note(String),
}

/// Where updates are shown. `at` is the time since the whole began.
pub trait Screen: Send {
    fn show(&mut self, at: Duration, update: &Update);

    /// Takes away what is not meant to stay.
    fn close(&mut self);
}

/// The screen for standard error as it is.
pub fn screen() -> Box<dyn Screen> {
    if surroundings::is_live() {
        Box::new(Live::default())
    } else {
        Box::new(Lines::new(std::io::stderr()))
    }
}

pub fn seconds(duration: Duration) -> String {
    format!("{:.1}s", duration.as_secs_f64())
}
