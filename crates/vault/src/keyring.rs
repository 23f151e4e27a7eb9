//! The master keys that are known at once, the newest last. The newest seals; each opens what it sealed.

use ports::vault::{KeyMark, Sealed};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::envelope::{EnvelopeError, FORMAT, KEY_ID_LEN};

pub(crate) const KEY_LEN: usize = 32;
pub(crate) type MasterKey = Zeroizing<[u8; KEY_LEN]>;

/// Names a master key without telling anything of it.
pub(crate) type KeyId = [u8; KEY_ID_LEN];

#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) id: KeyId,
    pub(crate) key: MasterKey,
}

impl Named {
    pub(crate) fn new(key: MasterKey) -> Self {
        let digest = Sha256::new()
            .chain_update(b"plasmacloud vault key id\0")
            .chain_update(*key)
            .finalize();
        let mut id = KeyId::default();
        id.copy_from_slice(&digest[..KEY_ID_LEN]);
        Self { id, key }
    }

    pub(crate) fn random() -> Result<Self, EnvelopeError> {
        let mut key = MasterKey::default();
        getrandom::fill(&mut *key).map_err(|_| EnvelopeError::Random)?;
        Ok(Self::new(key))
    }

    /// What everything begins with that is sealed under it.
    pub(crate) fn mark(&self) -> KeyMark {
        KeyMark([&[FORMAT][..], &self.id].concat())
    }
}

/// Never empty.
#[derive(Clone)]
pub(crate) struct Keyring(Vec<Named>);

impl Keyring {
    pub(crate) fn new(keys: Vec<Named>) -> Option<Self> {
        (!keys.is_empty()).then_some(Self(keys))
    }

    pub(crate) fn newest(&self) -> &Named {
        self.0.last().expect("a keyring is never empty")
    }

    pub(crate) fn all(&self) -> &[Named] {
        &self.0
    }

    pub(crate) fn with(&self, key: Named) -> Self {
        let mut keys = self.0.clone();
        keys.push(key);
        Self(keys)
    }

    pub(crate) fn of(&self, sealed: &Sealed) -> Result<&Named, EnvelopeError> {
        let (&format, rest) = sealed.0.split_first().ok_or(EnvelopeError::Short)?;
        if format != FORMAT {
            return Err(EnvelopeError::Format(format));
        }
        let id = rest.first_chunk::<KEY_ID_LEN>().ok_or(EnvelopeError::Short)?;
        self.0
            .iter()
            .find(|named| named.id == *id)
            .ok_or(EnvelopeError::OtherKey)
    }
}
