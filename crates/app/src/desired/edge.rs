//! The edge's whole configuration: a route to every cluster's API, and what it serves inside every network.

use std::net::SocketAddrV4;

use cluster::node::API_PORT;
use ports::{
    edge::{EdgeConfig, EdgeIdentity, EdgeInstance, EdgeNetwork, RegistryClient, SniRoute},
    store::Filter,
};
use types::{
    Fault,
    cluster::Cluster,
    machine::{Machine, Role},
    network::Network,
};

use crate::{World, identity, records};

pub async fn render(world: &World) -> Result<EdgeConfig, Fault> {
    // Read first: what follows is at least as new as the generation claims.
    let ground = records::ground(&*world.store).await?;
    let everything = Filter::default();
    let clusters = records::list::<Cluster>(&*world.store, &everything).await?;
    let machines = records::list::<Machine>(&*world.store, &everything).await?;
    let networks = records::list::<Network>(&*world.store, &everything).await?;
    let live = || clusters.iter().map(|c| &c.value).filter(|c| !c.deleting);
    let mut routes = Vec::new();
    for cluster in live() {
        let own = machines
            .iter()
            .map(|m| &m.value)
            .filter(|m| m.cluster == cluster.id);
        for plane in own.filter(|m| matches!(m.role, Role::ControlPlane { .. })) {
            for server_name in std::iter::once(&cluster.server_name).chain(&cluster.spec.host) {
                routes.push(SniRoute {
                    server_name: server_name.clone(),
                    network: cluster.network.clone(),
                    backend: SocketAddrV4::new(plane.address, API_PORT),
                });
            }
        }
    }
    let mut serving = identity::serving(world).await?;
    let live_now: Vec<&Cluster> = live().collect();
    let identity = match identity::known(world).await? {
        Some(pki) => Some(EdgeIdentity {
            snapshot: identity::snapshot(world, ground.value.edge_generation, &live_now).await?,
            authorities: pki.services_pem(),
            revocations: pki.crl().to_vec(),
        }),
        None => None,
    };
    let networks = networks.into_iter().map(|n| n.value).filter(|n| !n.deleting);
    let networks = networks.map(|network| {
        let clients = live().filter(|c| c.network == network.id).flat_map(|cluster| {
            let own = machines
                .iter()
                .map(|m| &m.value)
                .filter(|m| m.cluster == cluster.id);
            own.map(|machine| RegistryClient {
                address: machine.address,
                bundle: cluster.pins.bundle.clone(),
                images: world.images.directory(&cluster.id),
            })
        });
        let instances = machines.iter().map(|m| &m.value).filter(|machine| {
            machine.network == network.id
                && machine.stays()
                && live().any(|cluster| cluster.id == machine.cluster)
        });
        let instances = instances.map(|machine| EdgeInstance {
            id: machine.id.clone(),
            cluster: machine.cluster.clone(),
            address: machine.address,
        });
        EdgeNetwork {
            instances: instances.collect(),
            namespace: world.network.namespace(&network.id),
            platform_address: network.platform_address(),
            clients: clients.collect(),
            serving: serving.remove(&network.id),
            id: network.id.clone(),
        }
    });
    Ok(EdgeConfig {
        generation: ground.value.edge_generation,
        endpoint: world.settings.endpoint,
        routes,
        networks: networks.collect(),
        bundle_cache: world.settings.bundle_cache.clone(),
        identity,
    })
}
