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
use types::Secret;
use zeroize::Zeroizing;

use crate::keyring::{KEY_LEN, Keyring, MasterKey, Named};

pub(crate) const FORMAT: u8 = 1;
pub(crate) const KEY_ID_LEN: usize = 8;
pub(crate) const NONCE_LEN: usize = 12;
const TAG_LEN: usize = 16;
const WRAP_LEN: usize = KEY_LEN + TAG_LEN;

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

pub(crate) fn seal(keys: &Keyring, at: &SecretRef, secret: &Secret) -> Result<Sealed, EnvelopeError> {
    let own: MasterKey = random()?;
    let nonce = *random()?;
    let content = encrypt(&own, nonce, secret.expose(), &bind(b"content", &[], at))?;
    wrapped(keys.newest(), at, &own, &[&nonce[..], &content].concat())
}

pub(crate) fn open(keys: &Keyring, at: &SecretRef, sealed: &Sealed) -> Result<Secret, EnvelopeError> {
    let (own, rest) = unwrapped(keys.of(sealed)?, at, sealed)?;
    content(&own, at, rest)
}

/// The wrap made anew under the newest key; nothing when it is the newest's. The content stays, byte by byte, but only
/// what would open is given on: a damaged row must not look repaired.
pub(crate) fn rewrap(
    keys: &Keyring,
    at: &SecretRef,
    sealed: &Sealed,
) -> Result<Option<Sealed>, EnvelopeError> {
    let under = keys.of(sealed)?;
    let (own, rest) = unwrapped(under, at, sealed)?;
    drop(content(&own, at, rest)?);
    if under.id == keys.newest().id {
        return Ok(None);
    }
    wrapped(keys.newest(), at, &own, rest).map(Some)
}

/// `rest` is the content with its nonce.
fn wrapped(master: &Named, at: &SecretRef, own: &MasterKey, rest: &[u8]) -> Result<Sealed, EnvelopeError> {
    let nonce = *random()?;
    let wrap = encrypt(&master.key, nonce, &**own, &bind(b"key", &master.id, at))?;
    Ok(Sealed([&[FORMAT][..], &master.id, &nonce, &wrap, rest].concat()))
}

/// The secret's own key, and the content with its nonce.
fn unwrapped<'a>(
    master: &Named,
    at: &SecretRef,
    sealed: &'a Sealed,
) -> Result<(MasterKey, &'a [u8]), EnvelopeError> {
    let wrap = sealed.0.get(1 + KEY_ID_LEN..).ok_or(EnvelopeError::Short)?;
    let (nonce, rest) = wrap
        .split_first_chunk::<NONCE_LEN>()
        .ok_or(EnvelopeError::Short)?;
    let (wrap, rest) = rest.split_first_chunk::<WRAP_LEN>().ok_or(EnvelopeError::Short)?;
    let own = Zeroizing::new(decrypt(&master.key, *nonce, wrap, &bind(b"key", &master.id, at))?);
    let own = own.as_slice().try_into().map_err(|_| EnvelopeError::Short)?;
    Ok((MasterKey::new(own), rest))
}

fn content(own: &MasterKey, at: &SecretRef, rest: &[u8]) -> Result<Secret, EnvelopeError> {
    let (nonce, content) = rest
        .split_first_chunk::<NONCE_LEN>()
        .ok_or(EnvelopeError::Short)?;
    decrypt(own, *nonce, content, &bind(b"content", &[], at)).map(Secret::new)
}

pub(crate) fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, EnvelopeError> {
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
