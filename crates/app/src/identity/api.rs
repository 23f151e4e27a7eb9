//! The certificate that the platform's own API is served with, and what its clients know it by.

use cluster::material::to_secret;
use iam::pki::{Facts, PlatformPki, not_after};
use ports::{store::Write, vault::SecretRef};
use serde::{Deserialize, Serialize};
use types::{Fault, Secret};

use super::{PLATFORM, authorities, broken, horizon, key_pem};
use crate::{
    World,
    books::{self, Decision},
    desired::target::unseal,
    world::ApiNames,
};

const NAME: &str = "api-serving";

/// Serialised only to be sealed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    names: Vec<String>,
    addresses: Vec<std::net::IpAddr>,
    chain_pem: String,
    key_pem: String,
}

/// What the API is served with.
#[derive(Debug, Clone)]
pub struct ApiServing {
    /// Down to the root, so that who knows only its fingerprint finds it.
    pub chain_pem: String,
    pub key_pem: Secret,
}

/// What clients of the API trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    pub bundle_pem: String,
    /// SHA-256 of each, in hex; the one that signs first.
    pub fingerprints: Vec<String>,
}

impl Trust {
    pub fn of(bundle_pem: String) -> Result<Self, Fault> {
        let fingerprints = Facts::all(&bundle_pem).map_err(broken)?;
        Ok(Self {
            fingerprints: fingerprints.into_iter().map(|facts| facts.fingerprint).collect(),
            bundle_pem,
        })
    }
}

fn place() -> SecretRef {
    SecretRef::new(PLATFORM, NAME)
}

async fn stored(world: &World) -> Result<Option<Kept>, Fault> {
    unseal(world, &place()).await
}

/// The chain alone, to be looked at.
pub(super) async fn chain(world: &World) -> Result<Option<String>, Fault> {
    Ok(stored(world).await?.map(|kept| kept.chain_pem))
}

/// Good for a while, and made if it is not there. Nothing where the API has no TLS of ours.
pub(crate) async fn serving(world: &World) -> Result<Option<ApiServing>, Fault> {
    let pki = authorities::authorities(world).await?;
    renew(world, &pki).await?;
    let kept = stored(world)
        .await?
        .filter(|_| world.settings.api_names.is_some());
    Ok(kept.map(|kept| ApiServing {
        chain_pem: kept.chain_pem,
        key_pem: Secret::new(kept.key_pem),
    }))
}

pub(crate) async fn trust(world: &World) -> Result<Trust, Fault> {
    Trust::of(authorities::authorities(world).await?.roots_pem())
}

pub(super) async fn renew(world: &World, pki: &PlatformPki) -> Result<(), Fault> {
    let Some(wanted) = &world.settings.api_names else {
        return Ok(());
    };
    books::accept(&*world.store, &world.signals, move || {
        Box::pin(async move {
            let kept = stored(world).await?;
            if kept.is_some_and(|kept| is_good(world, pki, wanted, &kept)) {
                return Ok(Decision::Answer(()));
            }
            let at = place();
            let sealed = world.vault.seal(&at, &to_secret(&issue(world, pki, wanted)?))?;
            Ok(Decision::Write {
                writes: vec![Write::PutSecret { at, sealed }],
                answer: (),
            })
        })
    })
    .await
}

fn is_good(world: &World, pki: &PlatformPki, wanted: &ApiNames, kept: &Kept) -> bool {
    (&kept.names, &kept.addresses) == (&wanted.names, &wanted.addresses)
        && pki.signed(&kept.chain_pem)
        && not_after(&kept.chain_pem).is_ok_and(|end| end >= horizon(world))
}

fn issue(world: &World, pki: &PlatformPki, wanted: &ApiNames) -> Result<Kept, Fault> {
    let names: Vec<&str> = wanted.names.iter().map(String::as_str).collect();
    let issued = pki
        .issue_server(&names, &wanted.addresses, world.clock.now())
        .map_err(broken)?;
    Ok(Kept {
        names: wanted.names.clone(),
        addresses: wanted.addresses.clone(),
        key_pem: key_pem(&issued)?,
        chain_pem: format!("{}{}", issued.chain_pem, pki.root_pem()),
    })
}
