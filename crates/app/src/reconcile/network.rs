//! Networks.

use plan::{NetworkDesired, NetworkSeen};
use ports::store::Lease;
use types::{Fault, NetworkId, network::Network, status::Observed};
use workflow::Pass;

use super::steps;
use crate::{World, records};

const RECHECK_MS: i64 = 60_000;

pub(super) async fn generation(world: &World, id: &str) -> Result<Option<u64>, Fault> {
    Ok(records::get::<Network>(&*world.store, id)
        .await?
        .map(|n| n.value.generation))
}

pub(super) async fn plan(world: &World, lease: &Lease) -> Result<Pass, Fault> {
    let Some(network) = records::get::<Network>(&*world.store, &lease.subject.id).await? else {
        return Err(Fault::not_found("network", &lease.subject.id));
    };
    let network = network.value;
    let seen = observe(world, &network.id).await;
    let published = steps::published(world).await?;
    let steps = plan::network(&NetworkDesired { network: &network }, &seen, published);
    Ok(Pass {
        held: false,
        blocked: None,
        generation: network.generation,
        steps,
        recheck_ms: RECHECK_MS,
    })
}

pub(super) async fn observe(world: &World, id: &NetworkId) -> Observed<NetworkSeen> {
    match world.network.observe(id).await {
        Observed::Present(seen) => Observed::Present(NetworkSeen {
            generation: seen.generation,
            ports: seen.ports,
        }),
        Observed::Absent => Observed::Absent,
        Observed::Unknown(why) => Observed::Unknown(why),
    }
}
