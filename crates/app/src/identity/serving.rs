//! What the edge shows in each network: a certificate for `iam-server` and the platform's address there, and for the name
//! of the tunnel into it.

use std::{collections::BTreeMap, net::Ipv4Addr};

use cluster::material::to_secret;
use iam::pki::{PlatformPki, not_after};
use ports::{
    edge::{IDENTITY_NAME, Serving, tunnel_name},
    store::{Filter, Write},
    vault::SecretRef,
};
use serde::{Deserialize, Serialize};
use types::{Fault, NetworkId, Secret, Timestamp, network::Network};

use super::{PLATFORM, broken, horizon, key_pem};
use crate::{
    World,
    books::{self, Decision},
    desired::target::unseal,
    records,
};

const NAME: &str = "serving";

/// Serialised only to be sealed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    address: Ipv4Addr,
    /// Whether it is for the tunnel too: those of before there were any are not.
    #[serde(default)]
    tunnel: bool,
    chain_pem: String,
    key_pem: String,
}

type All = BTreeMap<NetworkId, Kept>;

fn place() -> SecretRef {
    SecretRef::new(PLATFORM, NAME)
}

async fn stored(world: &World) -> Result<All, Fault> {
    Ok(unseal(world, &place()).await?.unwrap_or_default())
}

/// By network; one that was made a moment ago has none yet.
pub(crate) async fn serving(world: &World) -> Result<BTreeMap<NetworkId, Serving>, Fault> {
    let all = stored(world).await?.into_iter().map(|(id, kept)| {
        let serving = Serving {
            chain_pem: kept.chain_pem,
            key_pem: Some(Secret::new(kept.key_pem)),
        };
        (id, serving)
    });
    Ok(all.collect())
}

/// Every network has a certificate that is good for a while; of networks that are gone none is kept.
pub(super) async fn renew(world: &World, pki: &PlatformPki) -> Result<(), Fault> {
    books::accept(&*world.store, &world.signals, move || {
        Box::pin(async move {
            let before = stored(world).await?;
            let networks = records::list::<Network>(&*world.store, &Filter::default()).await?;
            let mut all = All::new();
            for network in networks.iter().map(|n| &n.value).filter(|n| !n.deleting) {
                let address = network.platform_address();
                let kept = match before.get(&network.id) {
                    Some(kept) if kept.address == address && is_good(kept, pki, horizon(world))? => {
                        kept.clone()
                    }
                    _ => issue(pki, &network.id, address, world.clock.now())?,
                };
                all.insert(network.id.clone(), kept);
            }
            if all == before {
                return Ok(Decision::Answer(()));
            }
            let at = place();
            let sealed = world.vault.seal(&at, &to_secret(&all))?;
            Ok(Decision::Write {
                writes: vec![Write::PutSecret { at, sealed }],
                answer: (),
            })
        })
    })
    .await
}

fn is_good(kept: &Kept, pki: &PlatformPki, horizon: Timestamp) -> Result<bool, Fault> {
    let ends = not_after(&kept.chain_pem).map_err(broken)?;
    Ok(kept.tunnel && pki.signed(&kept.chain_pem) && ends >= horizon)
}

fn issue(pki: &PlatformPki, network: &NetworkId, address: Ipv4Addr, now: Timestamp) -> Result<Kept, Fault> {
    let issued = pki
        .issue_server(&[IDENTITY_NAME, &tunnel_name(network)], &[address.into()], now)
        .map_err(broken)?;
    Ok(Kept {
        address,
        tunnel: true,
        key_pem: key_pem(&issued)?,
        chain_pem: issued.chain_pem,
    })
}
