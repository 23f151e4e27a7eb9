//! The control socket: HTTP/1.1 over a unix socket that only its owner may open.
//!
//! | request | answer |
//! |---|---|
//! | `PUT /v1/config` with an `EdgeConfig` as JSON, and `keys` by network beside its fields | `200` with `{"generation": n}` once it is in force; else a `Fault` |
//! | `GET /v1/status` | a [`Report`]: generation, endpoint, networks and what each waits for |
//! | `GET /healthz` | `200 ok`; `503` while the endpoint does not listen |
//! | `GET /metrics` | Prometheus' text form |

use std::{collections::BTreeMap, fs, io, net::SocketAddr, os::unix::fs::PermissionsExt, path::Path};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    Method, Request, Response, StatusCode, body::Incoming, header::CONTENT_TYPE, server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use ports::edge::{EdgeConfig, Visits};
use serde::{Deserialize, Serialize};
use tokio::net::UnixListener;
use types::{ClusterId, Fault, FaultKind, NetworkId};

use crate::{
    service::Service,
    volatile::{Keys, put_keys},
};

/// What is pushed. Keys are no part of a configuration: what is written of one never has them.
#[derive(Serialize, Deserialize)]
pub(crate) struct Push {
    #[serde(flatten)]
    pub config: EdgeConfig,
    #[serde(default)]
    pub keys: Keys,
}

const LARGEST_CONFIG: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// 0 before the first configuration.
    pub generation: u64,
    pub endpoint: Option<EndpointReport>,
    pub networks: Vec<NetworkReport>,
    /// Certificates are there without their keys: the host was started anew.
    #[serde(default)]
    pub lacks_keys: bool,
    /// Whose apiservers came to ask.
    #[serde(default)]
    pub visits: BTreeMap<ClusterId, Visits>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointReport {
    pub address: SocketAddr,
    /// Why it does not listen, if it does not.
    pub fault: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkReport {
    pub id: NetworkId,
    /// Absent when registry and name forwarder listen inside the network.
    pub waiting_for: Option<String>,
}

pub(crate) async fn serve(service: Service, path: &Path) -> io::Result<()> {
    let listener = listen(path)?;
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "accepting a control connection failed");
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                continue;
            }
        };
        let service = service.clone();
        tokio::spawn(async move {
            let handler = service_fn(move |request| {
                let service = service.clone();
                async move { Ok::<_, std::convert::Infallible>(answer(service, request).await) }
            });
            if let Err(error) = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), handler)
                .await
            {
                tracing::debug!(%error, "a control connection broke");
            }
        });
    }
}

/// The state directory's lock says that no other edge uses this socket, so one that is there is a leftover. It is made
/// under a name nobody knows and shown once its mode is set.
fn listen(path: &Path) -> io::Result<UnixListener> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    let hidden = path.with_extension("new");
    let _ = fs::remove_file(&hidden);
    let listener = UnixListener::bind(&hidden)?;
    fs::set_permissions(&hidden, fs::Permissions::from_mode(0o600))?;
    fs::rename(&hidden, path)?;
    Ok(listener)
}

async fn answer(service: Service, request: Request<Incoming>) -> Response<Full<Bytes>> {
    match (request.method(), request.uri().path()) {
        (&Method::PUT, "/v1/config") => match push(&service, request).await {
            Ok(text) => json(StatusCode::OK, text),
            Err(fault) => {
                tracing::warn!(code = %fault.code, cause = %fault.cause, "a configuration was not put in force");
                json(status(fault.kind), encode(&fault))
            }
        },
        (&Method::GET, "/v1/status") => json(StatusCode::OK, encode(&service.report().await)),
        (&Method::GET, "/healthz") => match service
            .report()
            .await
            .endpoint
            .and_then(|endpoint| endpoint.fault)
        {
            None => plain(StatusCode::OK, "ok\n".to_owned()),
            Some(fault) => plain(StatusCode::SERVICE_UNAVAILABLE, format!("{fault}\n")),
        },
        (&Method::GET, "/metrics") => plain(StatusCode::OK, service.metrics().await),
        _ => plain(
            StatusCode::NOT_FOUND,
            "there are /v1/config, /v1/status, /healthz and /metrics\n".to_owned(),
        ),
    }
}

async fn push(service: &Service, request: Request<Incoming>) -> Result<String, Fault> {
    let unreadable =
        |cause: String| Fault::invalid("edge-config-unreadable", cause, "push an EdgeConfig as JSON");
    let body = Limited::new(request.into_body(), LARGEST_CONFIG).collect().await;
    let body = body.map_err(|error| unreadable(error.to_string()))?.to_bytes();
    let pushed: Push = serde_json::from_slice(&body).map_err(|error| unreadable(error.to_string()))?;
    let Push { mut config, keys } = pushed;
    put_keys(&mut config, &keys);
    // A caller that goes away must not stop a push half way.
    let service = service.clone();
    let applied = tokio::spawn(async move { service.apply(config).await }).await;
    let applied = applied.map_err(|error| Fault::internal("edge-push-panicked", error.to_string()))??;
    Ok(encode(&applied))
}

fn status(kind: FaultKind) -> StatusCode {
    match kind {
        FaultKind::Invalid | FaultKind::Unfit => StatusCode::BAD_REQUEST,
        FaultKind::NotFound => StatusCode::NOT_FOUND,
        FaultKind::Conflict => StatusCode::CONFLICT,
        FaultKind::Stale => StatusCode::PRECONDITION_FAILED,
        FaultKind::Refused | FaultKind::Forbidden => StatusCode::FORBIDDEN,
        FaultKind::Gone => StatusCode::GONE,
        FaultKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
        FaultKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        FaultKind::Exhausted => StatusCode::INSUFFICIENT_STORAGE,
        FaultKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        FaultKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn encode(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("what is answered is plain data")
}

fn json(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    respond(status, "application/json", text)
}

fn plain(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    respond(status, "text/plain; version=0.0.4", text)
}

fn respond(status: StatusCode, kind: &'static str, text: String) -> Response<Full<Bytes>> {
    let answer = Response::builder().status(status).header(CONTENT_TYPE, kind);
    answer.body(Full::from(text)).expect("headers of ours are valid")
}
