//! The sealed form, byte by byte:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | format, now 1 |
//! | 8 | id of the master key |
//! | 12 + 48 | nonce and wrap of the secret's own key, under the master key |
//! | 12 + n + 16 | nonce and content, under the secret's own key |

use aes_gcm_siv::{
    Aes256GcmSiv, KeyInit, Nonce,
    aead::{Aead, Payload},
};
use ports::vault::{Sealed, SecretRef};
use sha2::{Digest, Sha256};
use types::Secret;
use zeroize::Zeroizing;

use crate::key_file::{KEY_LEN, MasterKey};

const FORMAT: u8 = 1;
const KEY_ID_LEN: usize = 8;
const NONCE_LEN: usize = 12;
const TAG_LEN: usize = 16;
const WRAP_LEN: usize = KEY_LEN + TAG_LEN;

/// Names a master key without telling anything of it.
pub(crate) type KeyId = [u8; KEY_ID_LEN];

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum EnvelopeError {
    #[error("the kernel's random source does not answer")]
    Random,
    #[error("the content is too long to seal")]
    TooLong,
    #[error("it has format {0}, which this release does not know")]
    Format(u8),
    #[error("it is cut short")]
    Short,
    #[error("it was sealed with another master key")]
    OtherKey,
    #[error("it was changed, or belongs to another row")]
    Forged,
}

pub(crate) fn key_id(master: &MasterKey) -> KeyId {
    let digest = Sha256::new()
        .chain_update(b"plasmacloud vault key id\0")
        .chain_update(**master)
        .finalize();
    let mut id = KeyId::default();
    id.copy_from_slice(&digest[..KEY_ID_LEN]);
    id
}

pub(crate) fn seal(master: &MasterKey, at: &SecretRef, secret: &Secret) -> Result<Sealed, EnvelopeError> {
    let id = key_id(master);
    let own: MasterKey = random()?;
    let (wrap_nonce, nonce) = (*random()?, *random()?);
    let wrap = encrypt(master, wrap_nonce, &*own, &bind(b"key", &id, at))?;
    let content = encrypt(&own, nonce, secret.expose(), &bind(b"content", &[], at))?;
    Ok(Sealed(
        [&[FORMAT][..], &id, &wrap_nonce, &wrap, &nonce, &content].concat(),
    ))
}

pub(crate) fn open(master: &MasterKey, at: &SecretRef, sealed: &Sealed) -> Result<Secret, EnvelopeError> {
    let (&format, rest) = sealed.0.split_first().ok_or(EnvelopeError::Short)?;
    if format != FORMAT {
        return Err(EnvelopeError::Format(format));
    }
    let (id, rest) = rest
        .split_first_chunk::<KEY_ID_LEN>()
        .ok_or(EnvelopeError::Short)?;
    let (wrap_nonce, rest) = rest
        .split_first_chunk::<NONCE_LEN>()
        .ok_or(EnvelopeError::Short)?;
    let (wrap, rest) = rest.split_first_chunk::<WRAP_LEN>().ok_or(EnvelopeError::Short)?;
    let (nonce, content) = rest
        .split_first_chunk::<NONCE_LEN>()
        .ok_or(EnvelopeError::Short)?;
    if *id != key_id(master) {
        return Err(EnvelopeError::OtherKey);
    }
    let unwrapped = Zeroizing::new(decrypt(master, *wrap_nonce, wrap, &bind(b"key", id, at))?);
    let own = MasterKey::new(
        unwrapped
            .as_slice()
            .try_into()
            .map_err(|_| EnvelopeError::Short)?,
    );
    decrypt(&own, *nonce, content, &bind(b"content", &[], at)).map(Secret::new)
}

fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, EnvelopeError> {
    let mut bytes = Zeroizing::new([0u8; N]);
    getrandom::fill(&mut *bytes).map_err(|_| EnvelopeError::Random)?;
    Ok(bytes)
}

/// What is authenticated beside the content. Each part goes with its length, so that none can lend to the next.
fn bind(layer: &[u8], id: &[u8], at: &SecretRef) -> Vec<u8> {
    let mut bound = vec![FORMAT];
    for part in [layer, id, at.owner.as_bytes(), at.name.as_bytes()] {
        bound.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bound.extend_from_slice(part);
    }
    bound
}

fn encrypt(
    key: &MasterKey,
    nonce: [u8; NONCE_LEN],
    msg: &[u8],
    aad: &[u8],
) -> Result<Vec<u8>, EnvelopeError> {
    let cipher = Aes256GcmSiv::new((&**key).into());
    cipher
        .encrypt(&Nonce::from(nonce), Payload { msg, aad })
        .map_err(|_| EnvelopeError::TooLong)
}

fn decrypt(
    key: &MasterKey,
    nonce: [u8; NONCE_LEN],
    msg: &[u8],
    aad: &[u8],
) -> Result<Vec<u8>, EnvelopeError> {
    let cipher = Aes256GcmSiv::new((&**key).into());
    cipher
        .decrypt(&Nonce::from(nonce), Payload { msg, aad })
        .map_err(|_| EnvelopeError::Forged)
}
