//! One cluster and its machines, for tests of what is made of them.

use std::collections::BTreeMap;

use crate::{
    Bytes, ClusterId, MachineId, NetworkId, PortId, ProjectId, Timestamp, VolumeId,
    cluster::{Cluster, ClusterSpec, ClusterStatus, Pins, Progress},
    machine::{Mac, Machine, Power, Role, Size},
    status::{ClusterPhase, MachinePhase},
};

/// Accepted, and nothing of it made yet.
pub fn cluster(version: &str) -> Cluster {
    Cluster {
        id: ClusterId::generate(),
        project: ProjectId::generate(),
        name: "dev".parse().expect("a name"),
        labels: Default::default(),
        network: NetworkId::generate(),
        spec: ClusterSpec::default(),
        scales: BTreeMap::new(),
        pins: Pins {
            version: version.parse().expect("a version"),
            bundle: "sha256:b".to_owned(),
            node_image: "sha256:n".to_owned(),
            recipe: "sha256:r".to_owned(),
        },
        generation: 1,
        realm: 1,
        server_name: "dev.k8s.test".to_owned(),
        deleting: false,
        held: false,
        status: ClusterStatus {
            phase: ClusterPhase::Provisioning,
            reason: String::new(),
            observed_generation: 0,
            conditions: Vec::new(),
            nodes_ready: 0,
            nodes_wanted: 0,
            progress: Progress::default(),
        },
        created: Timestamp(0),
    }
}

pub fn plane(cluster: &Cluster) -> Machine {
    let role = Role::ControlPlane {
        volume: VolumeId::generate(),
    };
    machine(cluster, "dev-plane", role)
}

pub fn worker(cluster: &Cluster, hostname: &str) -> Machine {
    let role = Role::Worker {
        group: "default".parse().expect("a name"),
        pods: "10.244.1.0/24".parse().expect("a range"),
    };
    machine(cluster, hostname, role)
}

fn machine(cluster: &Cluster, hostname: &str, role: Role) -> Machine {
    let port = PortId::generate();
    Machine {
        id: MachineId::generate(),
        project: cluster.project.clone(),
        cluster: cluster.id.clone(),
        network: cluster.network.clone(),
        host: "local".to_owned(),
        hostname: hostname.to_owned(),
        role,
        instance_type: None,
        size: Size {
            vcpus: 1,
            memory: Bytes::gib(1),
            disk: None,
        },
        mac: Mac::for_port(&port),
        port,
        address: std::net::Ipv4Addr::new(10, 20, 0, 11),
        power: Power::On,
        deleting: false,
        phase: MachinePhase::Pending,
        created: Timestamp(0),
    }
}
