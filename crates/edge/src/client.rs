//! The other end of the control socket: what `cloudd` uses to reach the edge.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request, StatusCode, client::conn::http1, header::HOST};
use hyper_util::rt::TokioIo;
use ports::{
    Edge,
    edge::{EdgeConfig, EdgeStatus, Visits},
};
use serde::de::DeserializeOwned;
use tokio::{net::UnixStream, time::timeout};
use types::{ClusterId, Fault};

use crate::{
    control::{Push, Report},
    volatile::keys_of,
};

const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone)]
pub struct EdgeClient {
    socket: PathBuf,
}

impl EdgeClient {
    pub fn new(socket: impl Into<PathBuf>) -> Self {
        Self {
            socket: socket.into(),
        }
    }

    /// What the edge serves and what it waits for.
    pub async fn report(&self) -> Result<Report, Fault> {
        self.ask(Method::GET, "/v1/status", Bytes::new()).await
    }

    pub async fn metrics(&self) -> Result<String, Fault> {
        let (_, body) = self.call(Method::GET, "/metrics", Bytes::new()).await?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    /// Whether the edge runs and its endpoint listens.
    pub async fn healthy(&self) -> Result<(), Fault> {
        match self.call(Method::GET, "/healthz", Bytes::new()).await? {
            (StatusCode::OK, _) => Ok(()),
            (_, body) => Err(self.unreachable(String::from_utf8_lossy(&body).trim())),
        }
    }

    fn unreachable(&self, cause: impl std::fmt::Display) -> Fault {
        Fault::unavailable(
            "edge-unreachable",
            format!("the edge at {} does not answer: {cause}", self.socket.display()),
            "see that cloud-edge runs and what its log says",
        )
    }

    async fn ask<T: DeserializeOwned>(&self, method: Method, path: &str, body: Bytes) -> Result<T, Fault> {
        let (status, body) = self.call(method, path, body).await?;
        if status == StatusCode::OK {
            return serde_json::from_slice(&body).map_err(|error| self.unreachable(error));
        }
        Err(serde_json::from_slice(&body).unwrap_or_else(|_| self.unreachable(status)))
    }

    async fn call(&self, method: Method, path: &str, body: Bytes) -> Result<(StatusCode, Bytes), Fault> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, "edge")
            .body(Full::new(body))
            .expect("a request of ours is valid");
        let exchange = async {
            let stream = UnixStream::connect(&self.socket)
                .await
                .map_err(|error| self.unreachable(error))?;
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
                .await
                .map_err(|error| self.unreachable(error))?;
            let connection = tokio::spawn(connection);
            let answer = sender
                .send_request(request)
                .await
                .map_err(|error| self.unreachable(error))?;
            let status = answer.status();
            let body = answer
                .into_body()
                .collect()
                .await
                .map_err(|error| self.unreachable(error))?;
            connection.abort();
            Ok((status, body.to_bytes()))
        };
        timeout(PATIENCE, exchange)
            .await
            .unwrap_or_else(|_| Err(self.unreachable("no answer in time")))
    }
}

#[async_trait]
impl Edge for EdgeClient {
    async fn apply(&self, config: &EdgeConfig) -> Result<EdgeStatus, Fault> {
        let push = Push {
            keys: keys_of(config),
            config: config.clone(),
        };
        let body = serde_json::to_vec(&push).expect("a configuration is plain data");
        self.ask(Method::PUT, "/v1/config", body.into()).await
    }

    async fn status(&self) -> Result<EdgeStatus, Fault> {
        let report = self.report().await?;
        Ok(EdgeStatus {
            generation: report.generation,
            lacks_keys: report.lacks_keys,
        })
    }

    async fn visits(&self) -> Result<BTreeMap<ClusterId, Visits>, Fault> {
        Ok(self.report().await?.visits)
    }
}
