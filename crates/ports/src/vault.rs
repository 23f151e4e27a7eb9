//! Sealing of what must not be stored in clear. The owner's id and the secret's name are bound to the sealed bytes:
//! moved to another row, they do not open.

use async_trait::async_trait;
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

/// The bytes that everything sealed under one master key begins with. They name the key and tell nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyMark(pub Vec<u8>);

impl KeyMark {
    pub fn is_of(&self, sealed: &Sealed) -> bool {
        sealed.0.starts_with(&self.0)
    }
}

impl std::fmt::Display for KeyMark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A vault whose master key can be replaced. It knows several; the newest seals, each opens what it sealed.
///
/// What the vault holds outlives the process: a key is kept before anything is sealed with it, and what was opened before
/// a key was dropped still opens until the process ends, because somebody may hold the bytes already.
#[async_trait]
pub trait Rotation: Vault {
    /// Those that are kept, the newest last; never empty.
    fn keys(&self) -> Vec<KeyMark>;

    /// Makes a key that seals from now on. When it is answered, the key is kept.
    async fn add_key(&self) -> Result<KeyMark, Fault>;

    /// The same secret under the newest key; nothing when it is so already.
    fn rewrap(&self, at: &SecretRef, sealed: &Sealed) -> Result<Option<Sealed>, Fault>;

    /// Forgets a key that nothing stored needs any more. The newest is refused; one that is not there is dropped already.
    async fn drop_key(&self, key: &KeyMark) -> Result<(), Fault>;
}
