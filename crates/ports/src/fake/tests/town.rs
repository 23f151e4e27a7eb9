//! A small world to test the fakes in.

use std::{collections::BTreeMap, net::Ipv4Addr, path::PathBuf};

use types::{
    Bytes, MachineId, NetworkId, PortId, Secret, VolumeId,
    machine::{Mac, Power, Size},
};

use crate::{
    Compute, Edge, Network, Volumes,
    cluster_api::{ApiTarget, NodeWanted},
    compute::{Attachment, Init, MachineConfig, MachineDesired, Nic},
    edge::{EdgeConfig, EdgeNetwork, SniRoute},
    fake::FakeWorld,
    network::{NetworkDesired, PortDesired},
    volumes::VolumeDesired,
};

/// One network with a control plane (the first machine) and a worker (the second), all desired and nothing made.
pub(super) struct Town {
    pub(super) world: FakeWorld,
    pub(super) network: NetworkDesired,
    pub(super) volume: VolumeDesired,
    pub(super) machines: [MachineDesired; 2],
    pub(super) edge: EdgeConfig,
    pub(super) target: ApiTarget,
}

pub(super) fn port(n: u8) -> PortDesired {
    let id = PortId::generate();
    PortDesired {
        mac: Mac::for_port(&id),
        address: Ipv4Addr::new(10, 0, 0, n),
        routes: vec![],
        realm: 1,
        id,
    }
}

pub(super) fn machine(world: &FakeWorld, port: &PortDesired, hostname: &str, init: Init) -> MachineDesired {
    let nic = Nic {
        interface: world.network().interface(&port.id),
        mac: port.mac,
        address: port.address,
        prefix_len: 24,
        gateway: Ipv4Addr::new(10, 0, 0, 1),
        mtu: 1500,
    };
    MachineDesired {
        id: MachineId::generate(),
        hostname: hostname.to_owned(),
        image: PathBuf::from("/image"),
        init,
        size: Size {
            vcpus: 1,
            memory: Bytes::gib(1),
            disk: None,
        },
        nic,
        volumes: vec![],
        config: MachineConfig::default(),
        power: Power::On,
    }
}

pub(super) fn town() -> Town {
    let world = FakeWorld::new();
    let ports = vec![port(10), port(11)];
    let volume = VolumeDesired {
        id: VolumeId::generate(),
        size: Bytes::gib(2),
    };
    let mut plane = machine(&world, &ports[0], "plane", Init::Keeper);
    let source = PathBuf::from(format!("/fake/volumes/{}", volume.id));
    plane.volumes = vec![Attachment {
        volume: volume.id.clone(),
        source,
        mount_at: PathBuf::from("/data"),
    }];
    let worker = machine(&world, &ports[1], "worker", Init::Systemd);
    let network = NetworkDesired {
        id: NetworkId::generate(),
        generation: 1,
        cidr: "10.0.0.0/24".parse().unwrap(),
        gateway: Ipv4Addr::new(10, 0, 0, 1),
        platform_address: Ipv4Addr::new(10, 0, 0, 2),
        uplink: 1,
        ports,
    };
    let backend = "10.0.0.10:6443".parse().unwrap();
    let route = SniRoute {
        server_name: "demo".to_owned(),
        network: network.id.clone(),
        backend,
    };
    let edge = EdgeConfig {
        generation: 1,
        endpoint: "127.0.0.1:6443".parse().unwrap(),
        routes: vec![route],
        networks: vec![EdgeNetwork {
            id: network.id.clone(),
            namespace: world.network().namespace(&network.id),
            platform_address: network.platform_address,
            clients: vec![],
            instances: vec![],
            serving: None,
        }],
        bundle_cache: PathBuf::from("/cache"),
        identity: None,
    };
    let target = ApiTarget {
        endpoint: edge.endpoint,
        server_name: "demo".to_owned(),
        ca_pem: String::new(),
        client_cert_pem: String::new(),
        client_key_pem: Secret::new(""),
    };
    Town {
        world,
        network,
        volume,
        machines: [plane, worker],
        edge,
        target,
    }
}

impl Town {
    pub(super) async fn build(&self) {
        self.world.volumes().ensure(&self.volume).await.unwrap();
        self.world.network().apply(&self.network).await.unwrap();
        for machine in &self.machines {
            self.world.compute().apply(machine).await.unwrap();
        }
        self.world.edge().apply(&self.edge).await.unwrap();
    }

    pub(super) fn adoption(&self) -> NodeWanted {
        let labels = BTreeMap::from([("group".to_owned(), "default".to_owned())]);
        NodeWanted {
            name: "worker".to_owned(),
            pods: "10.244.0.0/24".parse().unwrap(),
            labels,
        }
    }

    pub(super) async fn found(&self) -> usize {
        let (compute, network, volumes) = (self.world.compute(), self.world.network(), self.world.volumes());
        let scans = [compute.scan().await, network.scan().await, volumes.scan().await];
        scans.into_iter().map(|found| found.unwrap().len()).sum()
    }
}
