//! A tenant cluster's own API, reached over one short connection per call.
//!
//! Guarantees: a call ends within its time limit and leaves no connection behind; the server is believed only if the
//! cluster's own authority vouches for `server_name`; every call may be repeated.
//! Caveat: a call cut off by its limit may still have been carried out by the server.

mod adopt;
mod apply;
mod drain;
mod error;
mod kinds;
mod nodes;
mod session;
mod tokens;

use std::{future::Future, sync::Arc, time::Duration};

use async_trait::async_trait;
use kube::api::{Api, DeleteParams};
use ports::cluster_api::{ApiTarget, ClusterApi, NodeSeen, NodeWanted};
use rustls::crypto::CryptoProvider;
use types::{Fault, Secret};

use crate::{
    error::{CallError, is_not_found},
    session::Session,
};

/// Who owns the fields the platform applies.
pub const FIELD_MANAGER: &str = "plasmacloud";

const CALL_LIMIT: Duration = Duration::from_secs(5);
const READY_LIMIT: Duration = Duration::from_secs(2);

/// The real thing behind [`ClusterApi`]; it holds no state of any cluster.
#[derive(Debug, Clone)]
pub struct KubeApi {
    crypto: Arc<CryptoProvider>,
}

impl KubeApi {
    pub fn new() -> Self {
        Self {
            crypto: Arc::new(rustls::crypto::aws_lc_rs::default_provider()),
        }
    }

    async fn open(&self, target: &ApiTarget) -> Result<Session, CallError> {
        Session::open(target, Arc::clone(&self.crypto)).await
    }
}

impl Default for KubeApi {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs a whole call, connecting included, within its limit. What is dropped here closes its connection.
async fn within<T>(
    limit: Duration,
    call: impl Future<Output = Result<T, CallError>>,
) -> Result<T, CallError> {
    tokio::time::timeout(limit, call)
        .await
        .unwrap_or(Err(CallError::TimedOut(limit)))
}

#[async_trait]
impl ClusterApi for KubeApi {
    async fn ready(&self, target: &ApiTarget) -> Result<bool, Fault> {
        let asked = within(READY_LIMIT, async {
            let session = self.open(target).await?;
            let request = http::Request::get("/readyz")
                .body(Vec::new())
                .map_err(kube::Error::HttpError)?;
            Ok(session.client().request_text(request).await?)
        });
        match asked.await {
            Ok(answer) => Ok(answer.trim() == "ok"),
            Err(error) if error.is_absence() => {
                tracing::debug!(endpoint = %target.endpoint, reason = %error.reason(), "cluster API is not ready");
                Ok(false)
            }
            Err(error) => Err(error.into_fault("ask whether it is ready", target.endpoint)),
        }
    }

    async fn nodes(&self, target: &ApiTarget) -> Result<Vec<NodeSeen>, Fault> {
        within(CALL_LIMIT, async {
            nodes::list(self.open(target).await?.client()).await
        })
        .await
        .map_err(|e| e.into_fault("list its nodes", target.endpoint))
    }

    async fn apply(&self, target: &ApiTarget, objects: &[serde_json::Value]) -> Result<(), Fault> {
        // Everything is read before anything is sent: a bad object at the end must not leave half a change.
        let objects = objects
            .iter()
            .map(apply::Object::read)
            .collect::<Result<Vec<_>, _>>()?;
        if objects.is_empty() {
            return Ok(());
        }
        within(CALL_LIMIT, async {
            let session = self.open(target).await?;
            for object in &objects {
                object
                    .apply(session.client())
                    .await
                    .map_err(|e| e.during(&object.to_string(), target.endpoint))?;
            }
            Ok(())
        })
        .await
        .map_err(|e| e.into_fault("apply objects", target.endpoint))
    }

    async fn has(&self, target: &ApiTarget, object: &serde_json::Value) -> Result<bool, Fault> {
        let object = apply::Object::read(object)?;
        within(CALL_LIMIT, async {
            object.is_there(self.open(target).await?.client()).await
        })
        .await
        .map_err(|e| e.into_fault(&format!("look for {object}"), target.endpoint))
    }

    async fn adopt_node(&self, target: &ApiTarget, node: &NodeWanted) -> Result<(), Fault> {
        within(CALL_LIMIT, async {
            adopt::adopt(self.open(target).await?.client(), node).await
        })
        .await
        .map_err(|e| e.into_fault(&format!("adopt its node '{}'", node.name), target.endpoint))
    }

    async fn drain_node(&self, target: &ApiTarget, name: &str) -> Result<Vec<String>, Fault> {
        within(CALL_LIMIT, async {
            drain::drain(self.open(target).await?.client(), name).await
        })
        .await
        .map_err(|e| e.into_fault(&format!("empty its node '{name}'"), target.endpoint))
    }

    async fn knows(&self, target: &ApiTarget, token: &Secret) -> Result<bool, Fault> {
        within(CALL_LIMIT, async {
            tokens::knows(self.open(target).await?.client(), token).await
        })
        .await
        .map_err(|e| e.into_fault("ask it about a token", target.endpoint))
    }

    async fn delete_node(&self, target: &ApiTarget, name: &str) -> Result<(), Fault> {
        within(CALL_LIMIT, async {
            let session = self.open(target).await?;
            let nodes: Api<k8s_openapi::api::core::v1::Node> = Api::all(session.client().clone());
            match nodes.delete(name, &DeleteParams::default()).await {
                Ok(_) => Ok(()),
                Err(error) if is_not_found(&error) => Ok(()),
                Err(error) => Err(error.into()),
            }
        })
        .await
        .map_err(|e| e.into_fault(&format!("delete its node '{name}'"), target.endpoint))
    }
}
