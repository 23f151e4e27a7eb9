//! The vault: master keys from their source, and what they seal and open.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use async_trait::async_trait;
use ports::{
    Vault,
    vault::{KeyMark, Rotation, Sealed, SecretRef},
};
use tokio::sync::Mutex;
use types::{Fault, Secret};

use crate::{
    envelope::{self, EnvelopeError},
    keyring::{Keyring, Named},
    source::KeySource,
};

pub struct KeyVault {
    source: KeySource,
    /// All that this process ever knew: what was read from a row before its key was dropped still opens.
    known: RwLock<Arc<Keyring>>,
    /// Those that are kept, the newest last. Held while they change.
    kept: RwLock<Vec<KeyMark>>,
    changing: Mutex<()>,
}

impl KeyVault {
    /// Takes the master keys from their source, or makes the first. `expect_existing` says that sealed data exists: then a
    /// missing key is a fault.
    pub async fn open(source: KeySource, expect_existing: bool) -> Result<Self, Fault> {
        let keys = source.load(expect_existing).await?;
        Ok(Self {
            source,
            kept: RwLock::new(keys.all().iter().map(Named::mark).collect()),
            known: RwLock::new(Arc::new(keys)),
            changing: Mutex::new(()),
        })
    }

    fn known(&self) -> Arc<Keyring> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Vault for KeyVault {
    fn seal(&self, at: &SecretRef, secret: &Secret) -> Result<Sealed, Fault> {
        envelope::seal(&self.known(), at, secret).map_err(|error| fault("sealed", at, &error))
    }

    fn open(&self, at: &SecretRef, sealed: &Sealed) -> Result<Secret, Fault> {
        envelope::open(&self.known(), at, sealed).map_err(|error| fault("opened", at, &error))
    }
}

#[async_trait]
impl Rotation for KeyVault {
    fn keys(&self) -> Vec<KeyMark> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn add_key(&self) -> Result<KeyMark, Fault> {
        let _turn = self.changing.lock().await;
        let key = Named::random().map_err(|error| Fault::internal("vault-random", error.to_string()))?;
        let mark = key.mark();
        self.source.add(&key).await?;
        let more = Arc::new(self.known().with(key));
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = more;
        self.kept
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push(mark.clone());
        Ok(mark)
    }

    fn rewrap(&self, at: &SecretRef, sealed: &Sealed) -> Result<Option<Sealed>, Fault> {
        envelope::rewrap(&self.known(), at, sealed).map_err(|error| fault("wrapped anew", at, &error))
    }

    async fn drop_key(&self, key: &KeyMark) -> Result<(), Fault> {
        let _turn = self.changing.lock().await;
        if self.known().newest().mark() == *key {
            return Err(Fault::refused(
                "vault-key-in-use",
                format!("the master key {key} is the one that seals"),
                "make a new one first",
            ));
        }
        self.source.drop(&key.to_string())?;
        self.kept
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|kept| kept != key);
        Ok(())
    }
}

impl fmt::Debug for KeyVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyVault")
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

fn fault(what: &str, at: &SecretRef, error: &EnvelopeError) -> Fault {
    let cause = format!(
        "the secret '{}' of {} cannot be {what}: {error}",
        at.name, at.owner
    );
    match error {
        EnvelopeError::OtherKey => Fault::refused(
            "vault-wrong-key",
            cause,
            "put the master key back that this store was made with",
        ),
        EnvelopeError::Format(_) => Fault::refused(
            "vault-format-unknown",
            cause,
            "start the release that sealed it, or a newer one",
        ),
        EnvelopeError::Short | EnvelopeError::Forged => {
            Fault::refused("vault-sealed-damaged", cause, "restore the store from its backup")
        }
        EnvelopeError::Random | EnvelopeError::TooLong => Fault::internal("vault-sealing", cause),
    }
}

#[cfg(test)]
mod tests;
