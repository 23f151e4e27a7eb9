//! The platform's authorities: made at first need, renewed in time, changed by one at a time.

use iam::pki::PlatformPki;
use ports::{
    Store,
    store::{Batch, Doc, StoreError, Write},
    vault::SecretRef,
};
use types::Fault;

use super::{PLATFORM, broken};
use crate::{World, records};

const NAME: &str = "pki";
/// Many may be writing at once; each round one of them gets through.
const ROUNDS: u32 = 200;

fn place() -> SecretRef {
    SecretRef::new(PLATFORM, NAME)
}

/// Whether something of the platform's own is sealed in this store: without the key it was sealed with, it is lost.
pub async fn is_sealed(store: &dyn Store) -> Result<bool, Fault> {
    let sealed = store.secret(&place()).await.map_err(records::fault)?;
    Ok(sealed.is_some())
}

/// Nothing while nobody needed them.
pub(crate) async fn known(world: &World) -> Result<Option<PlatformPki>, Fault> {
    let at = place();
    let Some(sealed) = world.store.secret(&at).await.map_err(records::fault)? else {
        return Ok(None);
    };
    PlatformPki::from_secret(&world.vault.open(&at, &sealed)?)
        .map(Some)
        .map_err(broken)
}

/// The authorities as they are, or the first ones.
pub(super) async fn authorities(world: &World) -> Result<PlatformPki, Fault> {
    match known(world).await? {
        Some(pki) => Ok(pki),
        None => change(world, |_| Ok(false)).await,
    }
}

/// What the platform's services are trusted by.
pub(crate) async fn roots_pem(world: &World) -> Result<String, Fault> {
    Ok(authorities(world).await?.roots_pem())
}

/// Changes them as `edit` does, which says whether it did anything. The edge has something new to learn then.
pub(super) async fn change(
    world: &World,
    edit: impl Fn(&mut PlatformPki) -> Result<bool, Fault>,
) -> Result<PlatformPki, Fault> {
    let at = place();
    for _ in 0..ROUNDS {
        // Read first: what is written below is refused if anybody wrote since.
        let mut ground = records::ground(&*world.store).await?;
        let kept = known(world).await?;
        let made = kept.is_none();
        let mut pki = match kept {
            Some(pki) => pki,
            None => PlatformPki::new(world.clock.now()).map_err(broken)?,
        };
        if !edit(&mut pki)? && !made {
            return Ok(pki);
        }
        ground.value.edge_generation += 1;
        let sealed = world.vault.seal(&at, &pki.to_secret())?;
        let writes = vec![
            Write::Put(Doc::new(&ground.value, ground.version)),
            Write::PutSecret {
                at: at.clone(),
                sealed,
            },
        ];
        match world.store.commit(Batch { fence: None, writes }).await {
            Ok(()) => return Ok(pki),
            Err(StoreError::Stale { .. }) => {}
            Err(error) => return Err(records::fault(error)),
        }
    }
    Err(Fault::unavailable(
        "busy",
        "too many changes are being made at once",
        "try again",
    ))
}

/// Renews what nears its end.
pub(super) async fn renew(world: &World) -> Result<PlatformPki, Fault> {
    let now = world.clock.now();
    change(world, |pki| pki.renew(now).map_err(broken)).await
}
