//! The configuration of a worker node: container runtime, kubelet, kube-proxy, pod network, names, SSH. Rendered from
//! the recipe, the cluster, the machine and their sealed material; the same input gives the same bytes.

mod files;

use std::net::Ipv4Addr;

use ports::{
    compute::{MachineConfig, Unit},
    edge::REGISTRY_PORT,
};
use types::{Cidr, cluster::Cluster, machine::Machine};

use crate::{
    kubeconfig,
    material::{ClusterMaterial, NodeMaterial},
    recipe::{Recipe, RecipeError, Values},
};

pub use files::leaf_files;
use files::{secret, text};

pub struct NodeInput<'a> {
    pub recipe: &'a Recipe,
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
const PKI: &str = "/etc/kubernetes/pki";

macro_rules! recipe_files {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("node/", $name), include_str!(concat!("../../recipe/node/", $name)))),*]
    };
}

pub(crate) const RECIPE: &[(&str, &str)] = recipe_files![
    "containerd.service",
    "containerd.toml",
    "kube-proxy.service",
    "kube-proxy.yaml",
    "kubelet.service",
    "kubelet.yaml",
    "pod-network.json",
    "pods.nft",
    "pods.service",
    "registry-hosts.toml",
    "resolv.conf",
    "ssh-authority.pub",
    "ssh-principals",
    "sshd.conf",
];

/// What its placeholders may name.
pub(crate) const NAMES: &[&str] = &[
    "address",
    "dns_address",
    "domain",
    "hostname",
    "instance",
    "labels",
    "mtu",
    "node_pods",
    "pause_image",
    "platform",
    "pods",
    "registry",
    "ssh_authority",
];

/// Where each file of the recipe lies in the machine.
const PLACES: [(&str, &str); 8] = [
    ("node/containerd.toml", "/etc/containerd/config.toml"),
    (
        "node/registry-hosts.toml",
        "/etc/containerd/certs.d/_default/hosts.toml",
    ),
    ("node/pod-network.json", "/etc/cni/net.d/10-plasmacloud.conflist"),
    ("node/pods.nft", "/etc/plasmacloud/pods.nft"),
    ("node/kubelet.yaml", "/etc/kubernetes/kubelet.yaml"),
    ("node/kube-proxy.yaml", "/etc/kubernetes/proxy.yaml"),
    ("node/resolv.conf", "/etc/resolv.conf"),
    ("node/sshd.conf", "/etc/ssh/sshd_config.d/10-plasmacloud.conf"),
];

/// Which certificates sshd takes; recipes from before there were any lack them.
const CERTIFIED: [(&str, &str); 2] = [
    ("node/ssh-authority.pub", "/etc/ssh/plasmacloud_authority.pub"),
    ("node/ssh-principals", "/etc/ssh/plasmacloud_principals/root"),
];

const UNITS: [(&str, &str); 4] = [
    ("node/containerd.service", "containerd.service"),
    ("node/pods.service", "plasmacloud-pods.service"),
    ("node/kubelet.service", "kubelet.service"),
    ("node/kube-proxy.service", "kube-proxy.service"),
];

pub fn render(input: &NodeInput<'_>) -> Result<MachineConfig, RecipeError> {
    let values = values(input);
    let mut config = MachineConfig::default();
    for (name, path) in PLACES {
        config.files.push(text(path, input.recipe.text(name, &values)?));
    }
    for (name, path) in CERTIFIED {
        if input.recipe.has(name) {
            config.files.push(text(path, input.recipe.text(name, &values)?));
        }
    }
    for (name, unit) in UNITS {
        config.units.push(Unit {
            name: unit.to_owned(),
            text: input.recipe.text(name, &values)?,
            enabled: true,
        });
    }
    identities(input, &mut config);
    ssh(input, &mut config);
    Ok(config)
}

fn values(input: &NodeInput<'_>) -> Values {
    let ranges = &input.cluster.spec.ranges;
    let labels = input
        .machine
        .instance_type
        .iter()
        .map(|name| format!("node.kubernetes.io/instance-type={name}"))
        .chain([format!("plasmacloud.io/instance={}", input.machine.id)])
        .collect::<Vec<_>>()
        .join(",");
    Values::from([
        ("address", input.machine.address.to_string()),
        ("dns_address", ranges.dns_address().to_string()),
        ("domain", ranges.domain.clone()),
        ("hostname", input.machine.hostname.clone()),
        ("instance", input.machine.id.to_string()),
        ("labels", labels),
        ("mtu", input.mtu.to_string()),
        ("node_pods", input.pods.to_string()),
        ("pause_image", input.pause_image.to_owned()),
        ("platform", input.platform.to_string()),
        ("pods", ranges.pods.to_string()),
        ("registry", format!("{}:{REGISTRY_PORT}", input.platform)),
        (
            "ssh_authority",
            input
                .material
                .ssh_authority
                .as_ref()
                .map_or_else(String::new, |key| key.public_openssh.clone()),
        ),
    ])
}

/// Who the kubelet and kube-proxy are towards the API. The platform renews these files in place: both read them again
/// when they change.
fn identities(input: &NodeInput<'_>, config: &mut MachineConfig) {
    let ca = format!("{PKI}/ca.crt");
    config.files.push(text(&ca, &input.material.ca.cert_pem));
    for (stem, leaf) in [
        ("kubelet", &input.node.kubelet),
        ("kubelet-serving", &input.node.kubelet_serving),
        ("kube-proxy", &input.node.kube_proxy),
    ] {
        config.files.extend(leaf_files(&format!("{PKI}/{stem}"), leaf));
    }
    let api = format!("https://{}:{API_PORT}", input.api);
    for (stem, path) in [
        ("kubelet", "/etc/kubernetes/kubelet.conf"),
        ("kube-proxy", "/etc/kubernetes/proxy.conf"),
    ] {
        let kubeconfig = kubeconfig::from_files(
            &api,
            &ca,
            &format!("{PKI}/{stem}.crt"),
            &format!("{PKI}/{stem}.key"),
        );
        config.files.push(text(path, kubeconfig));
    }
}

/// SSH with the cluster's key. The host key is made by the platform, so that it is known in advance.
fn ssh(input: &NodeInput<'_>, config: &mut MachineConfig) {
    let host = &input.node.ssh_host;
    config.files.extend([
        secret("/etc/ssh/ssh_host_ed25519_key", host.private_openssh.as_bytes()),
        text(
            "/etc/ssh/ssh_host_ed25519_key.pub",
            format!("{}\n", host.public_openssh),
        ),
        files::private(text(
            "/root/.ssh/authorized_keys",
            format!("{}\n", input.material.ssh.public_openssh),
        )),
    ]);
}

#[cfg(test)]
mod tests;
