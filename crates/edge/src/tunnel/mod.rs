//! Tunnels into a network, for SSH to its instances: TLS to the shared endpoint under the network's own name, one CONNECT
//! that names an instance and carries a ticket, then bytes. They are opened from inside the network's namespace, so
//! nothing outside needs a route into it.
//!
//! Guarantees: without a ticket that is good now for that instance nothing is dialled. A tunnel ends when its holder's
//! tokens are withdrawn, when its network goes, or when nothing moved for an hour; it does not end with its ticket, nor with
//! `cloudd`. Bounds: so many tunnels for each holder, and ten seconds each for the handshake and the request.

mod gate;
mod request;

pub(crate) use gate::Gate;

use std::{
    collections::HashMap,
    io::{self, Cursor},
    net::SocketAddrV4,
    sync::{Arc, Mutex},
    time::Duration,
};

use hyper_util::rt::TokioIo;
use iam::token::Claims;
use tokio::{
    io::AsyncReadExt,
    net::{TcpSocket, TcpStream},
    time::{Instant, interval, timeout},
};

use crate::{
    identity::Desk,
    metrics::{Counter, Metrics},
    relay,
    sockets::Sockets,
};

const PORT: u16 = 22;
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Of one holder, at once.
const MOST: usize = 16;
const IDLE: Duration = Duration::from_secs(3600);
/// How often it is looked whether anything moved.
const LOOK: Duration = Duration::from_secs(30);

pub(crate) struct Tunnels {
    desk: Arc<Desk>,
    sockets: Sockets,
    metrics: Arc<Metrics>,
    /// How many are open, by holder.
    open: Mutex<HashMap<String, usize>>,
}

/// One that was let in, as long as it lives.
struct Place {
    tunnels: Arc<Tunnels>,
    holder: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self
            .tunnels
            .open
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(count) = open.get_mut(&self.holder) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.holder);
            }
        }
    }
}

/// A tunnel that is about to carry bytes.
struct Ready {
    claims: Claims,
    server: TcpStream,
    _place: Place,
}

impl Tunnels {
    pub(crate) fn new(desk: Arc<Desk>, sockets: Sockets, metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self {
            desk,
            sockets,
            metrics,
            open: Mutex::default(),
        })
    }

    /// `first` is what the client said already.
    pub(crate) async fn serve(self: &Arc<Self>, client: TcpStream, first: Vec<u8>, gate: &Gate) {
        let Some(tls) = gate.door.tls() else { return };
        let (read, write) = client.into_split();
        let stream = tokio::io::join(Cursor::new(first).chain(read), write);
        let stream = match timeout(HANDSHAKE_TIME, tls.welcome(stream)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return tracing::debug!(%error, "no TLS with whoever wants a tunnel"),
            Err(_) => return,
        };
        if let Some((client, ready)) = request::asked(stream, self, gate).await {
            self.carry(TokioIo::new(client), ready, gate).await;
        }
    }

    fn enter(self: &Arc<Self>, claims: &Claims) -> Option<Place> {
        let mut open = self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let count = open.entry(claims.sub.clone()).or_default();
        if *count >= MOST {
            return None;
        }
        *count += 1;
        Some(Place {
            tunnels: self.clone(),
            holder: claims.sub.clone(),
        })
    }

    async fn dial(&self, gate: &Gate, instance: SocketAddrV4) -> io::Result<TcpStream> {
        let socket = self.sockets.stream(&gate.namespace).await?;
        let connecting = TcpSocket::from_std_stream(socket.into()).connect(instance.into());
        let server = timeout(CONNECT_TIME, connecting)
            .await
            .map_err(|_| io::ErrorKind::TimedOut)??;
        relay::prepare(&server)?;
        Ok(server)
    }

    async fn carry(
        &self,
        client: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
        ready: Ready,
        gate: &Gate,
    ) {
        let Ready {
            claims,
            server,
            _place,
        } = ready;
        let meter = Meter::default();
        let mut network = gate.alive.clone();
        let over = async {
            tokio::select! {
                () = async { while network.changed().await.is_ok() {} } => {}
                () = self.withdrawn(&claims) => tracing::info!(holder = %claims.sub, "a tunnel ends: its holder's tokens were withdrawn"),
                () = self.idle(&meter) => tracing::info!(holder = %claims.sub, "a tunnel ends: nothing moved in it"),
            }
        };
        let counters = (&meter.inward, &meter.outward);
        if let Err(error) = relay::relay(client, server, counters, over).await {
            tracing::debug!(%error, "a tunnel broke");
        }
        self.told(&meter);
    }

    /// Until the holder's tokens of that time are not good any more.
    async fn withdrawn(&self, claims: &Claims) {
        let mut news = self.desk.news();
        while self.desk.stands(claims) {
            if news.changed().await.is_err() {
                return;
            }
        }
    }

    /// Until nothing moved for too long.
    async fn idle(&self, meter: &Meter) {
        let mut look = interval(LOOK);
        let (mut moved, mut since) = (0, Instant::now());
        loop {
            look.tick().await;
            self.told(meter);
            let now = meter.inward.get() + meter.outward.get();
            if now != moved {
                (moved, since) = (now, Instant::now());
            } else if since.elapsed() >= IDLE {
                return;
            }
        }
    }

    /// What moved since the last time, to the figures of the whole.
    fn told(&self, meter: &Meter) {
        for (own, told, all) in [
            (&meter.inward, &meter.told.0, &self.metrics.bytes_in),
            (&meter.outward, &meter.told.1, &self.metrics.bytes_out),
        ] {
            let news = own.get() - told.get();
            told.add(news);
            all.add(news);
        }
    }
}

/// Bytes of one tunnel.
#[derive(Default)]
struct Meter {
    inward: Counter,
    outward: Counter,
    told: (Counter, Counter),
}
