//! One connection of an apiserver: requests one after the other, each answered at once.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpStream, time::timeout};

use super::{
    answer::Answers,
    door::Door,
    tls::{Caller, Tls},
    visitors::Visit,
};

const PATH: &str = "/apis/iam.plasmacloud.io/v1/authenticate";
/// A token has 4 KiB at most, and there is little beside it.
const LARGEST_BODY: usize = 16 * 1024;
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
/// Also how long a connection may say nothing between two requests.
const HEADER_TIME: Duration = Duration::from_secs(120);
const BODY_TIME: Duration = Duration::from_secs(10);
/// An apiserver opens another; a certificate that ended meanwhile is then noticed.
const LONGEST_LIFE: Duration = Duration::from_secs(3600);

struct Peer {
    door: Arc<Door>,
    /// The TLS under which the caller was last found good.
    checked: Mutex<Arc<Tls>>,
    caller: Caller,
    visit: Visit,
    since: Instant,
}

pub async fn serve<A: Answers + 'static>(stream: TcpStream, door: Arc<Door>, answers: Arc<A>) {
    if let Err(error) = crate::relay::prepare(&stream) {
        tracing::debug!(%error, "a connection could not be prepared");
    }
    let Some(tls) = door.tls() else { return };
    let network = door.network.clone();
    let stream = match timeout(HANDSHAKE_TIME, tls.accept(stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            tracing::debug!(%network, %error, "no TLS, or no certificate of ours");
            return;
        }
        Err(_) => return,
    };
    let Some(caller) = Caller::of(&stream) else {
        tracing::warn!(%network, "a certificate of ours that names no cluster");
        return;
    };
    let visit = door.visitors.enter(&caller.cluster, caller.serial.clone());
    let peer = Arc::new(Peer {
        visit,
        door,
        checked: Mutex::new(tls),
        caller,
        since: Instant::now(),
    });
    let service = service_fn(move |request| {
        let (peer, answers) = (peer.clone(), answers.clone());
        async move { Ok::<_, std::convert::Infallible>(answer(request, &peer, &*answers).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(32 * 1024)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        tracing::debug!(%network, %error, "a connection of an apiserver broke");
    }
}

impl Peer {
    /// Looked at again when what it was let in by changed.
    fn is_good(&self) -> bool {
        let Some(tls) = self.door.tls() else {
            return false;
        };
        let mut checked = self
            .checked
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if !Arc::ptr_eq(&tls, &checked) {
            if !tls.still_good(&self.caller) {
                return false;
            }
            *checked = tls;
        }
        true
    }
}

async fn answer<A: Answers>(request: Request<Incoming>, peer: &Peer, answers: &A) -> Response<Full<Bytes>> {
    let mut response = respond(request, peer, answers).await;
    if peer.since.elapsed() > LONGEST_LIFE || !response.status().is_success() {
        response
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn respond<A: Answers>(request: Request<Incoming>, peer: &Peer, answers: &A) -> Response<Full<Bytes>> {
    if !peer.is_good() {
        return plain(StatusCode::FORBIDDEN, "this certificate is not good any more\n");
    }
    if request.uri().path() != PATH {
        return plain(StatusCode::NOT_FOUND, "there is nothing here\n");
    }
    if request.method() != Method::POST {
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, "POST a TokenReview\n");
        refused
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("POST"));
        return refused;
    }
    let body = Limited::new(request.into_body(), LARGEST_BODY).collect();
    let body = match timeout(BODY_TIME, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => {
            return plain(
                StatusCode::PAYLOAD_TOO_LARGE,
                "the body is too large, or broke off\n",
            );
        }
        Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "the body did not come\n"),
    };
    peer.visit.asked();
    match answers.answer(&peer.door.network, &peer.caller.cluster, &body) {
        Ok(answer) => Response::builder()
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(answer))
            .expect("headers of ours are valid"),
        Err(unreadable) => plain(StatusCode::BAD_REQUEST, unreadable.to_string() + "\n"),
    }
}

fn plain(status: StatusCode, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "text/plain")
        .body(Full::new(text.into()))
        .expect("headers of ours are valid")
}
