//! A typed client of the API over plain HTTP/1.1: one short connection for each request, no pool, no TLS to set up,
//! because it talks to the same host and has to be quick to start.

mod audit;
mod backup;
mod clusters;
mod connection;
mod error;
mod keys;
mod networks;
mod operations;
mod people;
mod tenants;
mod terms;
mod watch;

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    instance::{InstanceList, InstanceView},
    platform::{BundleList, VersionView},
    routes::{self, Method},
};

pub use audit::AuditQuery;
pub use backup::Download;
pub use error::ClientError;
pub use people::Whose;
pub use terms::{Condition, Tag};
pub use watch::OperationWatch;

use connection::{Connection, Payload};
use terms::Keys;

#[derive(Debug, Clone)]
pub struct Client {
    connection: Connection,
    project: String,
    keys: Keys,
}

impl Client {
    /// `endpoint` is `http://host:port`; a token is not needed for the open routes.
    pub fn new(endpoint: &str, token: Option<String>, project: &str) -> Result<Self, ClientError> {
        Ok(Self {
            connection: Connection::new(endpoint, token)?,
            project: project.to_owned(),
            keys: Keys::default(),
        })
    }

    pub fn endpoint(&self) -> &str {
        self.connection.endpoint()
    }

    /// The project it works in, as it was named.
    pub fn project_name(&self) -> &str {
        &self.project
    }

    pub async fn version(&self) -> Result<VersionView, ClientError> {
        self.get(routes::VERSION).await
    }

    pub async fn bundles(&self) -> Result<BundleList, ClientError> {
        self.get(routes::BUNDLES).await
    }

    pub async fn list_instances(&self) -> Result<InstanceList, ClientError> {
        self.get(&self.path(routes::INSTANCES, &[])).await
    }

    pub async fn get_instance(&self, reference: &str) -> Result<InstanceView, ClientError> {
        self.get(&self.path(routes::INSTANCE, &[("reference", reference)]))
            .await
    }

    fn path(&self, pattern: &str, values: &[(&str, &str)]) -> String {
        routes::fill(&routes::fill(pattern, &[("project", &self.project)]), values)
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.connection.json(Method::Get, path, Payload::Empty).await
    }

    async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).map_err(|error| ClientError::Protocol {
            detail: error.to_string(),
        })?;
        self.connection.json(method, path, Payload::Json(body)).await
    }

    /// An act that needs no more words than its path.
    async fn post<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.connection.json(Method::Post, path, Payload::Empty).await
    }

    async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.connection.json(Method::Delete, path, Payload::Empty).await
    }
}
