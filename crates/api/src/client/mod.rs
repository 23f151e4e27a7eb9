//! A typed client of the API over HTTP/1.1: one short connection for each request, no pool, because it has to be quick to
//! start. Over TLS where the endpoint says so; without, only to the same host.

mod audit;
mod backup;
mod certs;
mod clusters;
mod connection;
mod error;
mod grants;
mod keys;
mod networks;
mod operations;
mod pages;
mod people;
mod secrets;
mod shares;
mod sse;
mod ssh;
mod tenants;
mod terms;
mod tls;
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
pub use pages::{Page, Pages, Select};
pub use people::Whose;
pub use terms::{Condition, Tag};
pub use tls::Trust;
pub use watch::{OperationWatch, Seen, Watch};

use connection::{Connection, Payload};
use terms::Keys;

#[derive(Debug, Clone)]
pub struct Client {
    connection: Connection,
    project: String,
    keys: Keys,
}

impl Client {
    /// `endpoint` is `http://host:port`, or `https://host:port` of one that the system trusts; a token is not needed for the open routes.
    pub fn new(endpoint: &str, token: Option<String>, project: &str) -> Result<Self, ClientError> {
        Self::trusting(endpoint, token, project, &Trust::System)
    }

    /// The same, believing only what this says of an `https://` endpoint.
    pub fn trusting(
        endpoint: &str,
        token: Option<String>,
        project: &str,
        trust: &Trust,
    ) -> Result<Self, ClientError> {
        Ok(Self {
            connection: Connection::new(endpoint, token, trust)?,
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

    pub fn instances(&self, select: &Select) -> Pages<InstanceList> {
        self.pages(routes::INSTANCES, select.parameters())
    }

    pub async fn watch_instances(
        &self,
        select: &Select,
        resume: Option<String>,
    ) -> Result<Watch<InstanceView>, ClientError> {
        self.watch(routes::INSTANCES, select, resume).await
    }

    pub async fn get_instance(&self, reference: &str) -> Result<InstanceView, ClientError> {
        self.get(&self.path(routes::INSTANCE, &[("reference", reference)]))
            .await
    }

    /// A list in the project.
    fn pages<P: Page>(&self, pattern: &str, parameters: Vec<(&'static str, String)>) -> Pages<P> {
        Pages::new(self, self.path(pattern, &[]), parameters)
    }

    async fn watch<V: DeserializeOwned>(
        &self,
        pattern: &str,
        select: &Select,
        resume: Option<String>,
    ) -> Result<Watch<V>, ClientError> {
        let path = self.path(pattern, &[]);
        Watch::begin(self.connection.clone(), path, select.parameters(), resume).await
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
