//! The vault: a master key from its file, and what it seals and opens.

use std::{fmt, path::Path};

use ports::{
    Vault,
    vault::{Sealed, SecretRef},
};
use types::{Fault, Secret};

use crate::{
    envelope::{self, EnvelopeError},
    key_file::{self, MasterKey},
};

pub struct FileVault {
    master: MasterKey,
}

impl FileVault {
    /// Reads the master key at `path`, or makes one at the first start. `expect_existing` says that sealed data exists:
    /// then a missing key is a fault.
    pub fn open(path: impl AsRef<Path>, expect_existing: bool) -> Result<Self, Fault> {
        let path = path.as_ref();
        let master = match key_file::load(path)? {
            Some(master) => master,
            None if expect_existing => return Err(missing(path)),
            None => key_file::create(path)?,
        };
        Ok(Self { master })
    }
}

impl Vault for FileVault {
    fn seal(&self, at: &SecretRef, secret: &Secret) -> Result<Sealed, Fault> {
        envelope::seal(&self.master, at, secret).map_err(|error| fault("sealed", at, &error))
    }

    fn open(&self, at: &SecretRef, sealed: &Sealed) -> Result<Secret, Fault> {
        envelope::open(&self.master, at, sealed).map_err(|error| fault("opened", at, &error))
    }
}

impl fmt::Debug for FileVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileVault").finish_non_exhaustive()
    }
}

fn missing(path: &Path) -> Fault {
    Fault::refused(
        "vault-key-missing",
        format!(
            "the master key {} is gone, but there are secrets sealed with it",
            path.display()
        ),
        "put the key back from its backup; without it they cannot be opened, and no new key is made in its place",
    )
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
