//! The platform's authorities: made at first need, renewed in time, changed by one at a time.

use iam::pki::PlatformPki;
use ports::{store::Write, vault::SecretRef};
use types::Fault;

use super::{PLATFORM, broken};
use crate::{
    World,
    books::{self, Decision},
    records,
};

const NAME: &str = "pki";

fn place() -> SecretRef {
    SecretRef::new(PLATFORM, NAME)
}

/// Nothing while nobody needed them.
pub(crate) async fn known(world: &World) -> Result<Option<PlatformPki>, Fault> {
    let sealed = records::secret(&*world.store, &*world.vault, &place()).await?;
    let pki = sealed.as_ref().map(PlatformPki::from_secret);
    pki.transpose().map_err(broken)
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
    edit: impl Fn(&mut PlatformPki) -> Result<bool, Fault> + Send + Sync,
) -> Result<PlatformPki, Fault> {
    let edit = &edit;
    books::accept(&*world.store, &world.signals, move || {
        Box::pin(async move {
            let kept = known(world).await?;
            let made = kept.is_none();
            let mut pki = match kept {
                Some(pki) => pki,
                None => PlatformPki::new(world.clock.now()).map_err(broken)?,
            };
            if !edit(&mut pki)? && !made {
                return Ok(Decision::Answer(pki));
            }
            let at = place();
            let sealed = world.vault.seal(&at, &pki.to_secret())?;
            Ok(Decision::Write {
                writes: vec![Write::PutSecret { at, sealed }],
                answer: pki,
            })
        })
    })
    .await
}

/// Renews what nears its end.
pub(super) async fn renew(world: &World) -> Result<PlatformPki, Fault> {
    let now = world.clock.now();
    change(world, |pki| pki.renew(now).map_err(broken)).await
}
