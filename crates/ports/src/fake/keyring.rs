//! A vault that hides as little as `FakeVault`, whose key can be replaced. Clones share what is kept.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use types::{Fault, Secret};

use super::FakeVault;
use crate::vault::{KeyMark, Rotation, Sealed, SecretRef, Vault};

#[derive(Debug, Clone)]
pub struct FakeKeyring {
    kept: Arc<Mutex<Vec<u8>>>,
    /// Of this process: also what was dropped meanwhile.
    known: Arc<Mutex<Vec<u8>>>,
}

impl FakeKeyring {
    pub fn with_key(key: u8) -> Self {
        let keys = || Arc::new(Mutex::new(vec![key]));
        Self {
            kept: keys(),
            known: keys(),
        }
    }

    /// As after a restart: only what was kept is known.
    pub fn restarted(&self) -> Self {
        Self {
            kept: self.kept.clone(),
            known: Arc::new(Mutex::new(read(&self.kept))),
        }
    }

    fn newest(&self) -> u8 {
        *read(&self.kept).last().expect("never empty")
    }
}

fn read(keys: &Mutex<Vec<u8>>) -> Vec<u8> {
    keys.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn change(keys: &Mutex<Vec<u8>>, change: impl FnOnce(&mut Vec<u8>)) {
    change(&mut keys.lock().unwrap_or_else(PoisonError::into_inner));
}

impl Vault for FakeKeyring {
    fn seal(&self, at: &SecretRef, secret: &Secret) -> Result<Sealed, Fault> {
        FakeVault { key: self.newest() }.seal(at, secret)
    }

    fn open(&self, at: &SecretRef, sealed: &Sealed) -> Result<Secret, Fault> {
        let known = read(&self.known);
        let key = known.iter().find(|key| sealed.0.first() == Some(key));
        FakeVault {
            key: key.copied().unwrap_or(self.newest()),
        }
        .open(at, sealed)
    }
}

#[async_trait]
impl Rotation for FakeKeyring {
    fn keys(&self) -> Vec<KeyMark> {
        read(&self.kept)
            .into_iter()
            .map(|key| KeyMark(vec![key]))
            .collect()
    }

    async fn add_key(&self) -> Result<KeyMark, Fault> {
        let key = read(&self.known)
            .into_iter()
            .max()
            .unwrap_or_default()
            .wrapping_add(1);
        for keys in [&self.kept, &self.known] {
            change(keys, |keys| keys.push(key));
        }
        Ok(KeyMark(vec![key]))
    }

    fn rewrap(&self, at: &SecretRef, sealed: &Sealed) -> Result<Option<Sealed>, Fault> {
        let secret = self.open(at, sealed)?;
        if sealed.0.first() == Some(&self.newest()) {
            return Ok(None);
        }
        self.seal(at, &secret).map(Some)
    }

    async fn drop_key(&self, key: &KeyMark) -> Result<(), Fault> {
        if key.0 == [self.newest()] {
            return Err(Fault::refused(
                "vault-key-in-use",
                format!("the master key {key} is the one that seals"),
                "make a new one first",
            ));
        }
        change(&self.kept, |keys| keys.retain(|kept| key.0 != [*kept]));
        Ok(())
    }
}
