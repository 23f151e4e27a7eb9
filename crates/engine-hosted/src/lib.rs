//! The hosted engine: a control plane on a system machine that its tenant does not see. It reads as an ordered list of
//! children, one file each; the supervisor inside the machine starts them in this order and keeps them running.

mod apiserver;
mod authentication;
mod child;
mod controller_manager;
mod controllers;
mod etcd;
mod identity;
mod paths;
mod scheduler;
mod sizing;

use std::{net::Ipv4Addr, path::Path};

use cluster::{
    material::ClusterMaterial,
    node::API_PORT,
    recipe::{Recipe, RecipeError, Values},
};
use ports::compute::{Content, FileEntry, MachineConfig};
use types::{
    cluster::Cluster,
    keeper::{self, KeeperConfig, Link},
    tenancy::Tenancy,
};

pub use controllers::{has_controllers, keeps_grants};
pub use identity::{PlaneIdentity, asks_the_platform};
pub use sizing::machine_size;

/// Size of the volume that holds etcd's data and the audit log.
pub const VOLUME_SIZE: types::Bytes = types::Bytes::gib(10);
/// Where that volume is mounted in the machine.
pub const VOLUME_MOUNT: &str = "/var/lib/k8shost";

macro_rules! recipe_files {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("plane/", $name), include_str!(concat!("../recipe/plane/", $name)))),*]
    };
}

const RECIPE: &[(&str, &str)] = recipe_files![
    "audit-policy.yaml",
    "cloud-controllers.flags",
    "etcd.flags",
    "hosts",
    "iam-webhook.yaml",
    "kube-apiserver.flags",
    "kube-controller-manager.flags",
    "kube-scheduler.flags",
    "kubernetes.env",
];

/// What its placeholders may name.
const NAMES: &[&str] = &[
    "address",
    "cluster",
    "domain",
    "hostname",
    "node_ports",
    "platform",
    "pods",
    "services",
];

/// Whether a recipe can be rendered.
pub fn check(recipe: &Recipe) -> Result<(), RecipeError> {
    recipe.check(("plane/", NAMES))
}

/// What clusters made from now on are rendered from.
pub fn recipe() -> Recipe {
    Recipe::new(RECIPE)
}

pub struct PlaneInput<'a> {
    pub recipe: &'a Recipe,
    pub cluster: &'a Cluster,
    pub hostname: &'a str,
    pub address: Ipv4Addr,
    /// Where the platform's own services are in this network.
    pub platform: Ipv4Addr,
    pub material: &'a ClusterMaterial,
    /// For clusters whose recipe asks for it.
    pub identity: Option<PlaneIdentity<'a>>,
    /// Whose cluster it is, for the controllers in it.
    pub tenancy: &'a Tenancy,
    /// The controllers' binary on the host.
    pub controllers: &'a Path,
}

impl PlaneInput<'_> {
    fn values(&self) -> Values {
        let ranges = &self.cluster.spec.ranges;
        Values::from([
            ("address", self.address.to_string()),
            ("cluster", self.cluster.name.to_string()),
            ("domain", ranges.domain.clone()),
            ("hostname", self.hostname.to_owned()),
            ("node_ports", String::from(ranges.node_ports)),
            ("platform", self.platform.to_string()),
            ("pods", ranges.pods.to_string()),
            ("services", ranges.services.to_string()),
        ])
    }
}

pub fn render(input: &PlaneInput<'_>) -> Result<MachineConfig, RecipeError> {
    let mut children = vec![
        etcd::child(input)?,
        apiserver::child(input)?,
        controller_manager::child(input)?,
        scheduler::child(input)?,
    ];
    children.extend(controllers::child(input)?);
    let keeper = KeeperConfig {
        log_dir: "/var/log/plasmacloud".to_owned(),
        links: vec![
            link(paths::ETCD_DATA, &format!("{VOLUME_MOUNT}/etcd")),
            link(paths::AUDIT_DIR, &format!("{VOLUME_MOUNT}/audit")),
        ],
        processes: children.iter().map(|child| child.process.clone()).collect(),
    };
    let mut files: Vec<FileEntry> = children.into_iter().flat_map(|child| child.files).collect();
    files.push(FileEntry {
        path: keeper::CONFIG_PATH.into(),
        mode: 0o644,
        content: Content::Text(serde_json::to_string_pretty(&keeper).expect("a configuration serialises")),
    });
    Ok(MachineConfig {
        files,
        units: Vec::new(),
    })
}

fn link(path: &str, target: &str) -> Link {
    Link {
        path: path.to_owned(),
        target: target.to_owned(),
    }
}

/// Where components on the machine itself reach the API.
fn local_api() -> String {
    format!("https://127.0.0.1:{API_PORT}")
}

#[cfg(test)]
mod tests;
