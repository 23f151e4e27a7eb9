//! Wake-ups inside one process. The truth is in the store; a lost signal only costs time.

use std::time::Duration;

use tokio::{
    sync::{Notify, watch},
    time::timeout,
};

pub struct Signals {
    tasks: Notify,
    operations: watch::Sender<u64>,
    /// The generation of the books that the edge was told last; 0 where nobody tells it.
    told: watch::Sender<u64>,
}

impl Default for Signals {
    fn default() -> Self {
        Self {
            tasks: Notify::new(),
            operations: watch::Sender::new(0),
            told: watch::Sender::new(0),
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

    /// The edge was told what the books said at this generation.
    pub fn edge_told(&self, generation: u64) {
        self.told.send_replace(generation);
    }

    /// Waits, for so long at most, until the edge was told of this generation.
    pub async fn until_edge_told(&self, generation: u64, patience: Duration) {
        let mut told = self.told.subscribe();
        if *told.borrow() == 0 {
            return;
        }
        // Late is not lost: the edge learns of it as soon as it answers.
        let _ = timeout(patience, told.wait_for(|told| *told >= generation)).await;
    }

    /// Tells of changes to operations; the receiver reads the store for what they are.
    pub fn operations(&self) -> watch::Receiver<u64> {
        self.operations.subscribe()
    }
}
