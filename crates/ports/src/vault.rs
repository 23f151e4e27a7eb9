//! Sealing of what must not be stored in clear. The owner's id and the secret's name are bound to the sealed bytes:
//! moved to another row, they do not open.

use serde::{Deserialize, Serialize};
use types::{Fault, Secret};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sealed(pub Vec<u8>);

/// Which row a secret belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SecretRef {
    pub owner: String,
    pub name: String,
}

impl SecretRef {
    pub fn new(owner: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            owner: owner.into(),
            name: name.into(),
        }
    }
}

pub trait Vault: Send + Sync {
    fn seal(&self, at: &SecretRef, secret: &Secret) -> Result<Sealed, Fault>;
    fn open(&self, at: &SecretRef, sealed: &Sealed) -> Result<Secret, Fault>;
}
