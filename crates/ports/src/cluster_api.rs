//! A tenant cluster's own API, as far as the platform needs it. Short calls, each with a time limit; no connection is kept.

use std::net::SocketAddr;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::{Cidr, Fault, Secret};

/// How to reach one cluster and who we are there.
#[derive(Debug, Clone)]
pub struct ApiTarget {
    pub endpoint: SocketAddr,
    pub server_name: String,
    pub ca_pem: String,
    pub client_cert_pem: String,
    pub client_key_pem: Secret,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeSeen {
    pub name: String,
    pub ready: bool,
    /// Why it is not ready, in Kubernetes' own words.
    pub message: String,
    pub pods: Option<Cidr>,
    pub labels: std::collections::BTreeMap<String, String>,
    pub unschedulable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeWanted {
    pub name: String,
    pub pods: Cidr,
    pub labels: std::collections::BTreeMap<String, String>,
}

#[async_trait]
pub trait ClusterApi: Send + Sync {
    /// `/readyz`: Ok(true) only for a plain "ok". Unreachable is Ok(false); a wrong certificate is a fault.
    async fn ready(&self, target: &ApiTarget) -> Result<bool, Fault>;

    async fn nodes(&self, target: &ApiTarget) -> Result<Vec<NodeSeen>, Fault>;

    /// Server-side apply of whole objects, in the order given. Nothing is sent of a list in which one is incomplete.
    async fn apply(&self, target: &ApiTarget, objects: &[serde_json::Value]) -> Result<(), Fault>;

    /// Whether an object is there; of the one that is given only its address counts.
    async fn has(&self, target: &ApiTarget, object: &serde_json::Value) -> Result<bool, Fault>;

    /// Gives a registered node the labels and the pod range the platform chose for it. A range is never changed: another
    /// one is a conflict.
    async fn adopt_node(&self, target: &ApiTarget, node: &NodeWanted) -> Result<(), Fault>;

    /// Takes a node out of scheduling and asks its pods to leave, as `kubectl drain` does. Answers which are still there:
    /// called again until none is. A node that is not there, or whose kubelet is dead, is empty.
    async fn drain_node(&self, target: &ApiTarget, name: &str) -> Result<Vec<String>, Fault>;

    /// Has the cluster find out who holds a token, of which nobody else may know: whether it found somebody. It asks
    /// everybody it can ask, the platform among them.
    async fn knows(&self, target: &ApiTarget, token: &Secret) -> Result<bool, Fault>;

    async fn delete_node(&self, target: &ApiTarget, name: &str) -> Result<(), Fault>;
}
