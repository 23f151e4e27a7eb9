//! What is asked before bytes move: `CONNECT <instance>:22` with a ticket, once a connection.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{CONNECTION, CONTENT_TYPE, HeaderValue, PROXY_AUTHORIZATION},
    server::conn::http1,
    service::service_fn,
    upgrade::{OnUpgrade, Upgraded},
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use types::MachineId;

use super::{Gate, PORT, Ready, Tunnels, gate::Shut};

const HEADER_TIME: Duration = Duration::from_secs(10);

type Answer = Response<Full<Bytes>>;

/// The connection after a request that was granted.
pub(super) async fn asked(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    tunnels: &Arc<Tunnels>,
    gate: &Gate,
) -> Option<(Upgraded, Ready)> {
    let granted: Mutex<Option<(OnUpgrade, Ready)>> = Mutex::default();
    let service = service_fn(|request: Request<Incoming>| {
        let granted = &granted;
        async move {
            let answer = match decide(&request, tunnels, gate).await {
                Ok(ready) => {
                    let upgrade = hyper::upgrade::on(request);
                    *granted.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some((upgrade, ready));
                    Response::new(Full::default())
                }
                Err(refused) => *refused,
            };
            Ok::<_, std::convert::Infallible>(answer)
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "whoever wanted a tunnel broke off");
    }
    let granted = granted
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let (upgrade, ready) = granted?;
    Some((upgrade.await.ok()?, ready))
}

async fn decide(
    request: &Request<Incoming>,
    tunnels: &Arc<Tunnels>,
    gate: &Gate,
) -> Result<Ready, Box<Answer>> {
    if request.method() != Method::CONNECT {
        return Err(plain(StatusCode::METHOD_NOT_ALLOWED, "CONNECT to an instance"));
    }
    let authority = request.uri().authority();
    let instance = authority
        .filter(|authority| authority.port_u16() == Some(PORT))
        .and_then(|authority| authority.host().parse::<MachineId>().ok());
    let Some(instance) = instance else {
        return Err(plain(
            StatusCode::BAD_REQUEST,
            "name an instance's id and port 22",
        ));
    };
    let ticket = request
        .headers()
        .get(PROXY_AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "))
        .unwrap_or_default();
    let (claims, address) = gate.admit(&tunnels.desk, &instance, ticket).map_err(|shut| {
        // Never the ticket, nor anything of it.
        let code = match shut {
            Shut::Unknown => "instance-unknown",
            Shut::Ticket(refusal) => refusal.code(),
        };
        tracing::info!(%instance, code, "a tunnel is refused");
        tunnels.metrics.refused_review(code);
        // The same for both: who may not go there does not learn what is there.
        plain(
            StatusCode::FORBIDDEN,
            "the ticket is not good for this instance, or not any more",
        )
    })?;
    let Some(place) = tunnels.enter(&claims) else {
        return Err(plain(
            StatusCode::TOO_MANY_REQUESTS,
            "you have as many tunnels open as one may have",
        ));
    };
    let server = tunnels.dial(gate, address).await.map_err(|error| {
        tracing::debug!(%instance, %address, %error, "an instance did not answer");
        tunnels.metrics.backend_failures.add(1);
        plain(StatusCode::BAD_GATEWAY, "the instance does not answer on port 22")
    })?;
    tracing::info!(%instance, holder = %claims.sub, "a tunnel is opened");
    Ok(Ready {
        claims,
        server,
        _place: place,
    })
}

fn plain(status: StatusCode, text: &'static str) -> Box<Answer> {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    Box::new(answer)
}
