//! The read-only OCI registry inside a network. Who asks is known by the address it asks from: a machine sees the images of
//! its cluster's bundle and those its tenant loaded, and an unknown address sees nothing.

mod answer;
mod file;
mod images;
mod range;

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;

pub(crate) use images::Images;

use crate::network::Clients;

const HEADER_TIME: Duration = Duration::from_secs(30);

pub(crate) async fn serve(stream: TcpStream, peer: SocketAddr, clients: Arc<Clients>, images: Arc<Images>) {
    if let Err(error) = crate::relay::prepare(&stream) {
        tracing::debug!(%peer, %error, "a connection could not be prepared");
    }
    let IpAddr::V4(address) = peer.ip() else { return };
    // Looked up for each request: the configuration may change while a connection is kept.
    let service = service_fn(move |request| {
        let (client, images) = (clients.find(address), images.clone());
        async move { Ok::<_, std::convert::Infallible>(answer::answer(request, client, images).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        tracing::debug!(%peer, %error, "a registry connection broke");
    }
}
