//! SSH keys of the caller, and getting into an instance.

use super::{Client, ClientError};
use crate::{
    routes::{self, Method},
    ssh::{SshAccess, SshKeyCreate, SshKeyList, SshKeyView, SshRequest},
    tenant::Done,
};

impl Client {
    pub async fn list_ssh_keys(&self) -> Result<SshKeyList, ClientError> {
        self.get(routes::SSH_KEYS).await
    }

    pub async fn add_ssh_key(&self, request: &SshKeyCreate) -> Result<SshKeyView, ClientError> {
        self.send(Method::Post, routes::SSH_KEYS, request).await
    }

    pub async fn delete_ssh_key(&self, reference: &str) -> Result<Done, ClientError> {
        self.delete(&routes::fill(routes::SSH_KEY, &[("reference", reference)]))
            .await
    }

    pub async fn ssh(&self, instance: &str, request: &SshRequest) -> Result<SshAccess, ClientError> {
        let path = self.path(routes::INSTANCE_SSH, &[("instance", instance)]);
        self.send(Method::Post, &path, request).await
    }
}
