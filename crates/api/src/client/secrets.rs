//! Secrets of the client's project.

use super::{Client, ClientError};
use crate::{
    routes::{self, Method},
    secret::{SecretCreate, SecretList, SecretUpdate, SecretValue, SecretView},
    tenant::Done,
};

impl Client {
    pub async fn list_secrets(&self) -> Result<SecretList, ClientError> {
        self.get(&self.path(routes::SECRETS, &[])).await
    }

    pub async fn create_secret(&self, request: &SecretCreate) -> Result<SecretView, ClientError> {
        self.send(Method::Post, &self.path(routes::SECRETS, &[]), request)
            .await
    }

    pub async fn get_secret(&self, reference: &str) -> Result<SecretView, ClientError> {
        self.get(&self.path(routes::SECRET, &[("reference", reference)]))
            .await
    }

    pub async fn update_secret(
        &self,
        reference: &str,
        request: &SecretUpdate,
    ) -> Result<SecretView, ClientError> {
        let path = self.path(routes::SECRET, &[("reference", reference)]);
        self.send(Method::Put, &path, request).await
    }

    pub async fn delete_secret(&self, reference: &str) -> Result<Done, ClientError> {
        self.delete(&self.path(routes::SECRET, &[("reference", reference)]))
            .await
    }

    /// The newest value, or that of a version.
    pub async fn reveal_secret(
        &self,
        reference: &str,
        version: Option<u32>,
    ) -> Result<SecretValue, ClientError> {
        let path = self.path(routes::SECRET_VALUE, &[("reference", reference)]);
        match version {
            Some(version) => self.get(&format!("{path}?version={version}")).await,
            None => self.get(&path).await,
        }
    }
}
