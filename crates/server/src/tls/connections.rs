//! Connections over TLS, each within its bounds: so many at once, so long for a handshake and for a request's head.
//! Whoever holds one open without saying anything is cut off, so that nobody keeps others out by waiting.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, extract::ConnectInfo};
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tower::Service;
use types::Fault;

use super::Serving;
use crate::router::Stop;

/// How much of it strangers may hold.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub connections: usize,
    pub handshake: Duration,
    /// Also how long a connection may be idle between requests.
    pub head: Duration,
    /// For requests under way when it is told to stop.
    pub grace: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: 4096,
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(60),
            grace: Duration::from_secs(10),
        }
    }
}

/// Until told to stop, and then as long as requests are under way.
pub async fn serve(
    listener: TcpListener,
    serving: Arc<Serving>,
    router: Router,
    bounds: Bounds,
    stop: Stop,
) -> Result<(), Fault> {
    let acceptor = TlsAcceptor::from(serving.config()?);
    let places = Arc::new(Semaphore::new(bounds.connections));
    let mut open = JoinSet::new();
    loop {
        let place = places.clone().acquire_owned();
        let next = async {
            let place = place.await;
            (listener.accept().await, place)
        };
        tokio::select! {
            (accepted, place) = next => match accepted {
                Ok((stream, peer)) => {
                    let (acceptor, router, stop) = (acceptor.clone(), router.clone(), stop.clone());
                    open.spawn(async move {
                        let _place = place;
                        connection(stream, peer, acceptor, router, bounds, stop).await;
                    });
                }
                Err(error) => {
                    // Too many open files, most likely: those that are open have to end first.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = open.join_next(), if !open.is_empty() => {}
            () = stopped(stop.clone()) => break,
        }
    }
    let all = async { while open.join_next().await.is_some() {} };
    if timeout(bounds.grace, all).await.is_err() {
        tracing::warn!("requests over TLS were still under way and are cut off");
    }
    Ok(())
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    acceptor: TlsAcceptor,
    router: Router,
    bounds: Bounds,
    stop: Stop,
) {
    let _ = stream.set_nodelay(true);
    if timeout(bounds.handshake, speaks_plain(&stream)).await == Ok(true) {
        let _ = timeout(bounds.handshake, refuse_plain(stream)).await;
        return;
    }
    let stream = match timeout(bounds.handshake, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            tracing::debug!(%peer, %error, "no TLS came about");
            return;
        }
        Err(_) => return,
    };
    let service = service_fn(move |mut request: Request<Incoming>| {
        let mut router = router.clone();
        request.extensions_mut().insert(ConnectInfo(peer));
        async move { Ok::<_, Infallible>(router.call(request).await.unwrap_or_else(|never| match never {})) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.head)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = stopped(stop) => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection broke");
    }
}

async fn stopped(mut stop: Stop) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Whether what comes is HTTP without TLS: its first byte is a letter, and that of a handshake is not.
async fn speaks_plain(stream: &TcpStream) -> bool {
    let mut first = [0u8; 1];
    matches!(stream.peek(&mut first).await, Ok(1)) && first[0].is_ascii_uppercase()
}

/// Said in the words it speaks; nothing it sent is looked at.
async fn refuse_plain(mut stream: TcpStream) {
    let body = r#"{"type":"about:blank","title":"Bad Request","status":400,"code":"tls-required","detail":"this address speaks TLS only","remedy":"use https:// in the endpoint"}"#;
    let answer = format!(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}
