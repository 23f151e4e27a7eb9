//! The edge's whole configuration: a route to every cluster's API, and what it serves inside every network.

use std::{collections::HashMap, net::SocketAddrV4};

use cluster::node::API_PORT;
use ports::{
    edge::{EdgeConfig, EdgeIdentity, EdgeInstance, EdgeNetwork, RegistryClient, SniRoute},
    store::Filter,
};
use types::{
    ClusterId, Fault, NetworkId,
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
    let live: Vec<&Cluster> = clusters
        .iter()
        .map(|c| &c.value)
        .filter(|c| !c.deleting)
        .collect();
    let by_id: HashMap<&ClusterId, &Cluster> = live.iter().map(|cluster| (&cluster.id, *cluster)).collect();
    let mut members: HashMap<&NetworkId, Vec<Member<'_>>> = HashMap::new();
    for machine in machines.iter().map(|machine| &machine.value) {
        if let Some(cluster) = by_id.get(&machine.cluster) {
            let of_network = members.entry(&machine.network).or_default();
            of_network.push(Member { cluster, machine });
        }
    }
    let routes = members.values().flatten().flat_map(Member::routes);
    let mut routes: Vec<SniRoute> = routes.collect();
    routes.sort_by(|a, b| a.server_name.cmp(&b.server_name));
    let mut serving = identity::serving(world).await?;
    let identity = match identity::known(world).await? {
        Some(pki) => Some(EdgeIdentity {
            snapshot: identity::snapshot(world, ground.value.edge_generation, &live).await?,
            authorities: pki.services_pem(),
            revocations: pki.crl().to_vec(),
        }),
        None => None,
    };
    let networks = networks.into_iter().map(|n| n.value).filter(|n| !n.deleting);
    let networks = networks.map(|network| {
        let members = members.get(&network.id).map_or(&[][..], Vec::as_slice);
        let staying = members.iter().filter(|member| member.machine.stays());
        EdgeNetwork {
            instances: staying.map(Member::instance).collect(),
            namespace: world.network.namespace(&network.id),
            platform_address: network.platform_address(),
            clients: members.iter().map(|member| member.client(world)).collect(),
            serving: serving.remove(&network.id),
            id: network.id,
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

/// A machine of a cluster that is to stay.
struct Member<'a> {
    cluster: &'a Cluster,
    machine: &'a Machine,
}

impl Member<'_> {
    /// None to a worker.
    fn routes(&self) -> impl Iterator<Item = SniRoute> {
        let Self { cluster, machine } = self;
        let is_plane = matches!(machine.role, Role::ControlPlane { .. });
        let names = std::iter::once(&cluster.server_name).chain(&cluster.spec.host);
        names.filter(move |_| is_plane).map(|server_name| SniRoute {
            server_name: server_name.clone(),
            network: cluster.network.clone(),
            backend: SocketAddrV4::new(machine.address, API_PORT),
        })
    }

    fn client(&self, world: &World) -> RegistryClient {
        RegistryClient {
            address: self.machine.address,
            bundle: self.cluster.pins.bundle.clone(),
            images: world.images.directory(&self.cluster.id),
        }
    }

    fn instance(&self) -> EdgeInstance {
        EdgeInstance {
            id: self.machine.id.clone(),
            cluster: self.machine.cluster.clone(),
            address: self.machine.address,
        }
    }
}
