//! Replacing the master key: every sealed row is wrapped anew under the newest key, then the old one is dropped.
//!
//! There is nothing to remember of how far it came: a rotation is under way while more than one key is kept, and what is
//! left are the rows under old keys. So it goes on after a kill at any point, and asking for it again changes nothing.
//!
//! - A row opens at all times: its old key is kept until no row is under it, and a row is replaced only as it was read.
//! - A row that somebody seals under the old key and writes after the last look is refused by the store, because the key
//!   was retired in the transaction that looked; they seal it again.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use ports::{
    Store,
    store::{Batch, StoreError, Write},
    vault::{KeyMark, Rotation, SecretRef},
};
use tokio::sync::Notify;
use types::Fault;

use crate::records;

/// Rows of one transaction: others who write wait for it.
const PAGE: u32 = 50;
/// Rows looked at together.
const LOOK: u32 = 1000;
/// After something went wrong that will not mend by itself at once.
const AGAIN: Duration = Duration::from_secs(15);

/// A master key, and how much is under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyState {
    pub mark: KeyMark,
    /// It seals; the others only open.
    pub newest: bool,
    pub rows: u64,
}

pub struct Rotator {
    store: Arc<dyn Store>,
    vault: Arc<dyn Rotation>,
    wake: Notify,
    beginning: tokio::sync::Mutex<()>,
    trouble: Mutex<Option<Fault>>,
}

impl Rotator {
    pub fn new(store: Arc<dyn Store>, vault: Arc<dyn Rotation>) -> Self {
        Self {
            store,
            vault,
            wake: Notify::new(),
            beginning: tokio::sync::Mutex::new(()),
            trouble: Mutex::new(None),
        }
    }

    /// Refuses a vault that cannot open what is stored: better told at the start than at the first use.
    pub async fn check(&self) -> Result<(), Fault> {
        let keys = self.vault.keys();
        let mut after = None;
        while let Some(page) = self.page(&mut after, LOOK).await? {
            let foreign = page
                .iter()
                .find(|(_, sealed)| !keys.iter().any(|key| key.is_of(sealed)));
            if let Some((at, sealed)) = foreign {
                // The vault says what is the matter with it.
                self.vault.open(at, sealed)?;
            }
        }
        Ok(())
    }

    /// Makes a new key, unless one is taking over already.
    pub async fn begin(&self) -> Result<(), Fault> {
        let _turn = self.beginning.lock().await;
        if self.vault.keys().len() == 1 {
            let key = self.vault.add_key().await?;
            tracing::info!(%key, "a new master key seals from now on");
        }
        self.wake.notify_one();
        Ok(())
    }

    /// The keys, the newest last.
    pub async fn keys(&self) -> Result<Vec<KeyState>, Fault> {
        let keys = self.vault.keys();
        let last = keys.len().saturating_sub(1);
        let mut states: Vec<KeyState> = keys
            .into_iter()
            .enumerate()
            .map(|(n, mark)| KeyState {
                mark,
                newest: n == last,
                rows: 0,
            })
            .collect();
        let mut after = None;
        while let Some(page) = self.page(&mut after, LOOK).await? {
            for (_, sealed) in &page {
                if let Some(state) = states.iter_mut().find(|state| state.mark.is_of(sealed)) {
                    state.rows += 1;
                }
            }
        }
        Ok(states)
    }

    /// Why it does not get on, when it does not.
    pub fn trouble(&self) -> Option<Fault> {
        self.trouble
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn tell(&self, trouble: Option<Fault>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// For the life of the platform: goes on with what was begun, and waits for more.
    pub async fn run(&self) {
        loop {
            while self.vault.keys().len() > 1 {
                let ended = self.rotate().await;
                self.tell(ended.as_ref().err().cloned());
                if let Err(fault) = ended {
                    tracing::warn!(code = %fault.code, cause = %fault.cause, "the master key is not replaced yet");
                    tokio::time::sleep(AGAIN).await;
                }
            }
            self.wake.notified().await;
        }
    }

    /// To the end, or as far as it comes.
    pub async fn rotate(&self) -> Result<(), Fault> {
        let mut damaged = None;
        let mut after = None;
        loop {
            let before = after.clone();
            let Some(page) = self.page(&mut after, PAGE).await? else {
                break;
            };
            let mut writes = Vec::new();
            for (at, was) in page {
                match self.vault.rewrap(&at, &was) {
                    Ok(Some(sealed)) => writes.push(Write::ReplaceSecret { at, was, sealed }),
                    Ok(None) => {}
                    // The others must not wait for one that nobody can open.
                    Err(fault) => damaged = Some(fault),
                }
            }
            if !self.commit(writes).await? {
                after = before;
            }
        }
        for key in self
            .vault
            .keys()
            .split_last()
            .map(|(_, old)| old.to_vec())
            .unwrap_or_default()
        {
            if !self.commit(vec![Write::RetireKey(key.clone())]).await? {
                return match damaged {
                    Some(fault) => Err(fault),
                    // Written since the page was read; the next round finds it.
                    None => Ok(()),
                };
            }
            self.vault.drop_key(&key).await?;
            tracing::info!(%key, "nothing is under this master key any more; it is dropped");
        }
        Ok(())
    }

    /// False when somebody wrote in between.
    async fn commit(&self, writes: Vec<Write>) -> Result<bool, Fault> {
        if writes.is_empty() {
            return Ok(true);
        }
        match self.store.commit(Batch { fence: None, writes }).await {
            Ok(()) => Ok(true),
            Err(StoreError::Stale { .. }) => Ok(false),
            Err(error) => Err(records::fault(error)),
        }
    }

    /// The rows after `after`, which moves on to the last of them.
    async fn page(
        &self,
        after: &mut Option<SecretRef>,
        limit: u32,
    ) -> Result<Option<Vec<(SecretRef, ports::vault::Sealed)>>, Fault> {
        let page = self
            .store
            .secrets(after.as_ref(), limit)
            .await
            .map_err(records::fault)?;
        let Some((last, _)) = page.last() else {
            return Ok(None);
        };
        *after = Some(last.clone());
        Ok(Some(page))
    }
}

#[cfg(test)]
mod tests;
