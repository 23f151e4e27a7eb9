//! A bundle's build on the screen: the same steps and times as an operation's.

use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};

use bundle::{Event, Progress};

use crate::progress::{self, Screen, Update};

pub struct Steps {
    began: Instant,
    screen: Mutex<Box<dyn Screen>>,
}

impl Steps {
    pub fn start() -> Self {
        Self {
            began: Instant::now(),
            screen: Mutex::new(progress::screen()),
        }
    }

    /// Ends the display and tells how long it all took.
    pub fn end(self) -> String {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner).close();
        progress::seconds(self.began.elapsed())
    }
}

impl Progress for Steps {
    fn on(&self, event: Event) {
        let update = match event {
            Event::Waiting { reason } => Update::Note(format!("waiting: {reason}")),
            Event::Planned { steps, cached } => {
                Update::Note(format!("{steps} steps, {cached} of them done before"))
            }
            Event::Started { step } => Update::Started {
                key: step.clone(),
                title: step,
            },
            Event::Cached { step: _ } => return,
            Event::Finished { step, took } => Update::Done {
                key: step.clone(),
                title: step,
                took,
            },
        };
        let mut screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        screen.show(self.began.elapsed(), &update);
    }
}
