//! Networks through the client.

use super::{Client, ClientError};
use crate::{
    network::{NetworkAccepted, NetworkCreate, NetworkList, NetworkView},
    operation::OperationAccepted,
    routes,
};

impl Client {
    pub async fn list_networks(&self) -> Result<NetworkList, ClientError> {
        self.get(&self.path(routes::NETWORKS, &[])).await
    }

    pub async fn get_network(&self, reference: &str) -> Result<NetworkView, ClientError> {
        self.get(&self.path(routes::NETWORK, &[("reference", reference)]))
            .await
    }

    pub async fn create_network(&self, request: &NetworkCreate) -> Result<NetworkAccepted, ClientError> {
        self.make(&self.path(routes::NETWORKS, &[]), Some(request)).await
    }

    pub async fn delete_network(&self, reference: &str) -> Result<OperationAccepted, ClientError> {
        self.delete(&self.path(routes::NETWORK, &[("reference", reference)]))
            .await
    }
}
