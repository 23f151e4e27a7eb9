//! Everything the platform acts through.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::Arc,
};

use cluster::recipe::Recipe;
use ports::{Bundles, Clock, ClusterApi, Compute, Edge, Images, Network, Store, Vault, Volumes};
use types::{OrgId, ProjectId, UserId, tenant::ROOT_USER};
use workflow::Signals;

pub struct World {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub vault: Arc<dyn Vault>,
    pub compute: Arc<dyn Compute>,
    pub network: Arc<dyn Network>,
    pub volumes: Arc<dyn Volumes>,
    pub edge: Arc<dyn Edge>,
    pub bundles: Arc<dyn Bundles>,
    pub images: Arc<dyn Images>,
    pub api: Arc<dyn ClusterApi>,
    pub signals: Arc<Signals>,
    /// What new clusters are rendered from; existing ones keep theirs.
    pub recipe: Recipe,
    pub settings: Settings,
}

#[derive(Debug, Clone)]
pub struct Settings {
    /// Who says so in tokens: where people reach the platform.
    pub issuer: String,
    /// What a certificate of the platform's API is made for; none where it has no TLS, or brings its own.
    pub api_names: Option<ApiNames>,
    /// Where every cluster's API is reached from outside.
    pub endpoint: SocketAddr,
    pub bundle_cache: PathBuf,
    /// The binary of the controllers that run in every control plane.
    pub controllers: PathBuf,
    /// Virtual CPUs that may be promised for each CPU of the host.
    pub cpu_overcommit: f64,
    /// Memory that may be promised to machines of the O series for each byte of the host's.
    pub memory_overcommit: f64,
}

/// Under what the platform's API is called over TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiNames {
    pub names: Vec<String>,
    pub addresses: Vec<IpAddr>,
}

/// The organisation that exists from the start.
pub fn default_org() -> OrgId {
    "org-0000000000000000".parse().expect("a valid id")
}

pub fn root_user() -> UserId {
    ROOT_USER.parse().expect("a valid id")
}

/// The project that exists from the start.
pub fn default_project() -> ProjectId {
    "proj-0000000000000000".parse().expect("a valid id")
}
