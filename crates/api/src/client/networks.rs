//! Networks through the client.

use super::{Client, ClientError, Pages, Select, Watch};
use crate::{
    network::{NetworkAccepted, NetworkApplied, NetworkApply, NetworkCreate, NetworkList, NetworkView},
    operation::OperationAccepted,
    routes::{self, Method},
};

impl Client {
    pub fn networks(&self, select: &Select) -> Pages<NetworkList> {
        self.pages(routes::NETWORKS, select.parameters())
    }

    pub async fn watch_networks(
        &self,
        select: &Select,
        resume: Option<String>,
    ) -> Result<Watch<NetworkView>, ClientError> {
        self.watch(routes::NETWORKS, select, resume).await
    }

    pub async fn apply_network(
        &self,
        name: &str,
        request: &NetworkApply,
    ) -> Result<NetworkApplied, ClientError> {
        let path = self.path(routes::NETWORK, &[("reference", name)]);
        self.send(Method::Put, &path, request).await
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
