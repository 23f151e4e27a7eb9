//! A backup through the client, piece by piece: it may be larger than memory.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;

use super::{
    Client, ClientError,
    connection::{Connection, Payload},
};
use crate::{
    backup::BackupRequest,
    routes::{self, Method},
};

/// Between two pieces.
const SILENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Download {
    connection: Connection,
    body: Incoming,
}

impl Client {
    pub async fn backup(&self, request: &BackupRequest) -> Result<Download, ClientError> {
        let body = serde_json::to_vec(request).map_err(|error| ClientError::Protocol {
            detail: error.to_string(),
        })?;
        let answer = self
            .connection
            .open(Method::Post, routes::BACKUP, Payload::Json(body));
        Ok(Download {
            body: answer.await?.into_body(),
            connection: self.connection.clone(),
        })
    }
}

impl Download {
    /// The next piece, or nothing at the end of the whole.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ClientError> {
        loop {
            let frame = timeout(SILENCE, self.body.frame())
                .await
                .map_err(|_| self.connection.timed_out(SILENCE))?;
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|error| self.connection.unreachable(error))?;
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
    }
}
