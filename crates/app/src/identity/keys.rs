//! What tokens are verified with. The ring of signing keys is made and turned where tokens are issued.

use iam::keys::{KeyRing, KeySet};
use ports::vault::SecretRef;
use types::Fault;

use super::PLATFORM;
use crate::{World, records};

/// Where the ring is sealed.
pub(crate) fn signing_keys() -> SecretRef {
    SecretRef::new(PLATFORM, "signing-keys")
}

/// Nothing while no token was ever issued.
pub(super) async fn key_set(world: &World) -> Result<KeySet, Fault> {
    let at = signing_keys();
    let Some(sealed) = world.store.secret(&at).await.map_err(records::fault)? else {
        return Ok(KeySet::default());
    };
    let ring = KeyRing::from_secret(&world.vault.open(&at, &sealed)?)
        .map_err(|error| Fault::internal("signing-keys", error.to_string()))?;
    Ok(ring.public(world.clock.now()))
}
