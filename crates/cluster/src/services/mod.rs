//! What is installed into every cluster through its own API: the bindings our identities need, and cluster DNS.

mod access;
mod coredns;

use serde_json::Value;
use types::cluster::Ranges;

/// Revision of the objects below; raised when they change. A cluster keeps the revision its recipe names.
pub const REVISION: u32 = 1;

pub fn objects(ranges: &Ranges, coredns_image: &str) -> Vec<Value> {
    let mut all = access::objects();
    all.extend(coredns::objects(ranges, coredns_image));
    all
}

/// Labels every object of ours carries.
fn labels(app: &str) -> Value {
    serde_json::json!({"app.kubernetes.io/managed-by": "plasmacloud", "k8s-app": app})
}
