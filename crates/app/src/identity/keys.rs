//! What tokens are signed and verified with, as it is sealed. The ring is made and turned where tokens are issued.

use iam::keys::{KeyRing, KeySet};
use ports::{Store, Vault, vault::SecretRef};
use types::Fault;

use super::PLATFORM;
use crate::{World, records};

/// Where the ring is sealed.
pub(crate) fn signing_keys() -> SecretRef {
    SecretRef::new(PLATFORM, "signing-keys")
}

/// Nothing while no token was ever issued.
pub(crate) async fn ring(store: &dyn Store, vault: &dyn Vault) -> Result<Option<KeyRing>, Fault> {
    let sealed = records::secret(store, vault, &signing_keys()).await?;
    let ring = sealed.as_ref().map(KeyRing::from_secret).transpose();
    ring.map_err(|error| Fault::internal("signing-keys", error.to_string()))
}

pub(super) async fn key_set(world: &World) -> Result<KeySet, Fault> {
    let ring = ring(&*world.store, &*world.vault).await?;
    Ok(ring.map_or_else(KeySet::default, |ring| ring.public(world.clock.now())))
}
