//! The configuration of a worker node: container runtime, kubelet, kube-proxy, pod network, SSH. Rendered from the
//! cluster, the machine and their sealed material; the same input gives the same bytes.

mod containerd;
mod kubelet;
mod pod_network;
mod proxy;
mod resolver;
mod sshd;

use std::{net::Ipv4Addr, path::PathBuf};

use ports::compute::{Content, FileEntry, MachineConfig, Unit};
use types::{Cidr, Secret, cluster::Cluster, machine::Machine};

use crate::{material::ClusterMaterial, material::NodeMaterial, pki::Leaf};

pub struct NodeInput<'a> {
    pub cluster: &'a Cluster,
    pub machine: &'a Machine,
    pub pods: Cidr,
    pub api: Ipv4Addr,
    /// Where the platform's own services are reached in this network: its registry and its name server.
    pub platform: Ipv4Addr,
    pub pause_image: &'a str,
    pub mtu: u32,
    pub material: &'a ClusterMaterial,
    pub node: &'a NodeMaterial,
}

pub const API_PORT: u16 = 6443;

pub fn render(input: &NodeInput<'_>) -> MachineConfig {
    let mut config = MachineConfig::default();
    containerd::add(input, &mut config);
    pod_network::add(input, &mut config);
    kubelet::add(input, &mut config);
    proxy::add(input, &mut config);
    resolver::add(input, &mut config);
    sshd::add(input, &mut config);
    config
}

impl NodeInput<'_> {
    fn api_url(&self) -> String {
        format!("https://{}:{API_PORT}", self.api)
    }
}

pub(crate) fn text(path: &str, content: impl Into<String>) -> FileEntry {
    FileEntry {
        path: PathBuf::from(path),
        mode: 0o644,
        content: Content::Text(content.into()),
    }
}

pub(crate) fn json(path: &str, value: &serde_json::Value) -> FileEntry {
    text(
        path,
        serde_json::to_string_pretty(value).expect("a JSON value serialises"),
    )
}

pub(crate) fn secret(path: &str, content: impl Into<Vec<u8>>) -> FileEntry {
    FileEntry {
        path: PathBuf::from(path),
        mode: 0o600,
        content: Content::Secret(Secret::new(content)),
    }
}

/// A certificate and its key beside each other: `<stem>.crt` and `<stem>.key`.
pub fn leaf_files(stem: &str, leaf: &Leaf) -> [FileEntry; 2] {
    [
        text(&format!("{stem}.crt"), &leaf.cert_pem),
        secret(&format!("{stem}.key"), leaf.key_pem.as_bytes()),
    ]
}

fn unit(name: &str, text: impl Into<String>) -> Unit {
    Unit {
        name: name.to_owned(),
        text: text.into(),
        enabled: true,
    }
}
