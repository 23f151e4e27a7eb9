//! The keys tokens are signed with: sealed in the store, made at first need, a new one every month.

use iam::{
    keys::{KeyRing, KeySet},
    token::{self, Claims},
};
use ports::store::{Batch, Write};
use tokio::sync::Mutex;
use types::{Fault, Secret, Timestamp};

use super::Tenants;
use crate::{identity, records};

const SIGNS_FOR_S: i64 = 30 * 86_400;
/// The longest life of any token.
pub(super) const LONGEST_TOKEN_S: i64 = 86_400;

/// What was read last. The store is asked only by the first, and when a key's time is over.
#[derive(Default)]
pub(super) struct Keys(Mutex<Option<KeyRing>>);

impl Tenants {
    pub(super) async fn mint(&self, claims: &Claims) -> Result<Secret, Fault> {
        let now = self.clock.now();
        let mut kept = self.keys.0.lock().await;
        let ring = self.ring(&mut kept, now).await?;
        token::mint(ring.signer(now), claims)
            .map_err(|error| Fault::internal("token-sign", error.to_string()))
    }

    /// The keys tokens are verified with, those of the near future included.
    pub async fn key_set(&self) -> Result<KeySet, Fault> {
        let now = self.clock.now();
        let mut kept = self.keys.0.lock().await;
        Ok(self.ring(&mut kept, now).await?.public(now))
    }

    /// A new signing key now. Tokens signed with the one before are good until they end.
    pub async fn rotate_signing_key(&self) -> Result<(), Fault> {
        let now = self.clock.now();
        let mut kept = self.keys.0.lock().await;
        let mut ring = self.ring(&mut kept, now).await?.clone();
        ring.rotate(now, LONGEST_TOKEN_S).map_err(broken)?;
        self.keep(&ring).await?;
        *kept = Some(ring);
        Ok(())
    }

    async fn ring<'a>(&self, kept: &'a mut Option<KeyRing>, now: Timestamp) -> Result<&'a KeyRing, Fault> {
        let mut ring = match kept.take() {
            Some(ring) => ring,
            None => self.stored_ring(now).await?,
        };
        if ring.newest_since().plus(SIGNS_FOR_S) < now {
            ring.rotate(now, LONGEST_TOKEN_S).map_err(broken)?;
            ring.prune(now);
            self.keep(&ring).await?;
        }
        Ok(kept.insert(ring))
    }

    async fn stored_ring(&self, now: Timestamp) -> Result<KeyRing, Fault> {
        match identity::ring(&*self.store, &*self.vault).await? {
            Some(ring) => Ok(ring),
            None => {
                let ring = KeyRing::new(now).map_err(broken)?;
                self.keep(&ring).await?;
                Ok(ring)
            }
        }
    }

    async fn keep(&self, ring: &KeyRing) -> Result<(), Fault> {
        let at = identity::signing_keys();
        let sealed = self.vault.seal(&at, &ring.to_secret())?;
        let writes = vec![Write::PutSecret { at, sealed }];
        let kept = self.store.commit(Batch { fence: None, writes }).await;
        kept.map_err(records::fault)
    }
}

fn broken(error: impl std::fmt::Display) -> Fault {
    Fault::internal("signing-keys", error.to_string())
}
