//! The SNI router: one endpoint, any number of clusters. It looks at the first message of a TLS connection, picks the
//! backend by the name asked for, and from then on only moves bytes.
//!
//! Guarantees: a connection, once made, does not depend on the configuration any more and ends only with its peers or its
//! network. Bounds: the first message in 16 KiB and 10 seconds; a number of connections beyond which callers wait in the
//! kernel's queue.

use std::{
    collections::HashMap,
    io,
    net::SocketAddrV4,
    path::PathBuf,
    sync::{Arc, RwLock},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{Semaphore, watch},
    time::timeout,
};

use crate::{
    hello::{self, Hello},
    metrics::Metrics,
    relay,
    sockets::Sockets,
    tunnel::{Gate, Tunnels},
};

const HELLO_TIME: Duration = Duration::from_secs(10);
const CONNECT_TIME: Duration = Duration::from_secs(5);
const FAREWELL_TIME: Duration = Duration::from_secs(1);

/// A cluster's API.
#[derive(Clone)]
pub(crate) struct Backend {
    pub namespace: PathBuf,
    pub address: SocketAddrV4,
    /// Closed when the network is taken out of the configuration.
    pub network: watch::Receiver<()>,
}

/// Where a name leads.
#[derive(Clone)]
pub(crate) enum Destination {
    Backend(Backend),
    Tunnel(Arc<Gate>),
}

pub(crate) type Table = HashMap<String, Destination>;

pub(crate) struct Router {
    table: RwLock<Arc<Table>>,
    sockets: Sockets,
    metrics: Arc<Metrics>,
    tunnels: Arc<Tunnels>,
    places: Arc<Semaphore>,
}

/// Why a connection is turned away: the alert of TLS that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alert {
    DecodeError = 50,
    InternalError = 80,
    UnrecognizedName = 112,
}

impl Router {
    pub(crate) fn new(
        sockets: Sockets,
        metrics: Arc<Metrics>,
        tunnels: Arc<Tunnels>,
        connections: usize,
    ) -> Self {
        Self {
            table: RwLock::default(),
            sockets,
            metrics,
            tunnels,
            places: Arc::new(Semaphore::new(connections)),
        }
    }

    pub(crate) fn replace(&self, table: Table) {
        *self
            .table
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) = Arc::new(table);
    }

    fn destination(&self, name: &str) -> Option<Destination> {
        self.table
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .get(name)
            .cloned()
    }

    pub(crate) async fn serve(self: Arc<Self>, listener: TcpListener) {
        loop {
            let Ok(place) = self.places.clone().acquire_owned().await else {
                return;
            };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let router = self.clone();
                    tokio::spawn(async move {
                        let _place = place;
                        router.handle(stream).await;
                    });
                }
                // Out of descriptors or memory: those who wait are served when some are free again.
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    async fn handle(&self, mut client: TcpStream) {
        self.metrics.connections.add(1);
        let _open = self.metrics.opened();
        let mut first = Vec::with_capacity(2048);
        let name = match timeout(HELLO_TIME, read_hello(&mut client, &mut first)).await {
            Ok(Ok(Hello::Name(name))) => name,
            Ok(Ok(Hello::Nameless)) => return self.refuse(client, Alert::UnrecognizedName).await,
            Ok(Ok(Hello::NotTls)) => return self.refuse(client, Alert::DecodeError).await,
            // Gone, or too slow.
            Ok(Ok(Hello::Incomplete) | Err(_)) | Err(_) => return self.metrics.refused.add(1),
        };
        let mut backend = match self.destination(&name) {
            Some(Destination::Backend(backend)) => backend,
            Some(Destination::Tunnel(gate)) => return self.tunnels.serve(client, first, &gate).await,
            None => return self.refuse(client, Alert::UnrecognizedName).await,
        };
        let server = match self.connect(&backend, &first).await {
            Ok(server) => server,
            Err(error) => {
                tracing::debug!(%name, address = %backend.address, %error, "the backend did not answer");
                self.metrics.backend_failures.add(1);
                return say_farewell(client, Alert::InternalError).await;
            }
        };
        drop(first);
        let network_gone = async { while backend.network.changed().await.is_ok() {} };
        let counters = (&self.metrics.bytes_in, &self.metrics.bytes_out);
        if let Err(error) = relay::relay(client, server, counters, network_gone).await {
            tracing::debug!(%name, %error, "a connection broke");
        }
    }

    /// Connects inside the backend's namespace and passes on what the client said so far.
    async fn connect(&self, backend: &Backend, first: &[u8]) -> io::Result<TcpStream> {
        let socket = self.sockets.stream(&backend.namespace).await?;
        let connecting = TcpSocket::from_std_stream(socket.into()).connect(backend.address.into());
        let mut server = timeout(CONNECT_TIME, connecting)
            .await
            .map_err(|_| io::ErrorKind::TimedOut)??;
        relay::prepare(&server)?;
        self.metrics.bytes_in.add(first.len() as u64);
        server.write_all(first).await?;
        Ok(server)
    }

    async fn refuse(&self, client: TcpStream, alert: Alert) {
        self.metrics.refused.add(1);
        say_farewell(client, alert).await;
    }
}

async fn read_hello(client: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<Hello> {
    relay::prepare(client)?;
    loop {
        let count = client
            .take((hello::LIMIT - bytes.len()) as u64)
            .read_buf(bytes)
            .await?;
        match hello::parse(bytes) {
            Hello::Incomplete if count > 0 => {}
            hello => return Ok(hello),
        }
    }
}

/// Says why, and waits a moment for the other side to close: closing with unread bytes would destroy the alert.
async fn say_farewell(mut client: TcpStream, alert: Alert) {
    const FATAL: u8 = 2;
    let record = [21, 3, 3, 0, 2, FATAL, alert as u8];
    let farewell = async {
        client.write_all(&record).await?;
        client.shutdown().await?;
        let mut rest = client.take(64 * 1024);
        tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
    };
    let _ = timeout(FAREWELL_TIME, farewell).await;
}
