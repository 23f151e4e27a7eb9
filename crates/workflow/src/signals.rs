//! Wake-ups inside one process. The truth is in the store; a lost signal only costs time.

use tokio::sync::{Notify, watch};

pub struct Signals {
    tasks: Notify,
    operations: watch::Sender<u64>,
}

impl Default for Signals {
    fn default() -> Self {
        Self {
            tasks: Notify::new(),
            operations: watch::Sender::new(0),
        }
    }
}

impl Signals {
    /// A task may be due.
    pub fn wake(&self) {
        self.tasks.notify_one();
    }

    pub(crate) async fn woken(&self) {
        self.tasks.notified().await;
    }

    /// Some operation changed.
    pub fn operation_changed(&self) {
        self.operations.send_modify(|n| *n += 1);
    }

    /// Tells of changes to operations; the receiver reads the store for what they are.
    pub fn operations(&self) -> watch::Receiver<u64> {
        self.operations.subscribe()
    }
}
