//! How the platform itself calls a cluster's API, and the sealed keys it does that with.

use cluster::material::{ClusterMaterial, NodeMaterial, SECRET_NAME, from_secret};
use ports::{cluster_api::ApiTarget, vault::SecretRef};
use serde::de::DeserializeOwned;
use types::{ClusterId, Fault, MachineId, Secret, cluster::Cluster};

use crate::{World, records};

pub async fn cluster_material(world: &World, id: &ClusterId) -> Result<Option<ClusterMaterial>, Fault> {
    unseal(world, &SecretRef::new(id.as_str(), SECRET_NAME)).await
}

pub async fn node_material(world: &World, id: &MachineId) -> Result<Option<NodeMaterial>, Fault> {
    unseal(world, &SecretRef::new(id.as_str(), SECRET_NAME)).await
}

/// What was sealed as one document, if it is there.
pub async fn unseal<T: DeserializeOwned>(world: &World, at: &SecretRef) -> Result<Option<T>, Fault> {
    let secret = records::secret(&*world.store, &*world.vault, at).await?;
    secret.as_ref().map(from_secret).transpose()
}

pub fn api_target(world: &World, cluster: &Cluster, material: &ClusterMaterial) -> ApiTarget {
    ApiTarget {
        endpoint: world.settings.endpoint,
        server_name: cluster.server_name.clone(),
        ca_pem: material.ca.cert_pem.clone(),
        client_cert_pem: material.platform.cert_pem.clone(),
        client_key_pem: Secret::new(material.platform.key_pem.as_bytes()),
    }
}
