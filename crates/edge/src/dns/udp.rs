//! Queries in datagrams: one task receives, and each query that is relayed has one until it is answered.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{net::UdpSocket, sync::Semaphore, task::JoinSet, time::sleep};

use super::{
    Forwarder,
    message::{LARGEST_DATAGRAM, Received},
    upstream::Transport,
};

const IN_FLIGHT: usize = 512;

/// Serves for ever; what is in flight ends with it.
pub(crate) async fn serve(socket: UdpSocket, forwarder: Arc<Forwarder>) {
    let server = Server {
        socket: Arc::new(socket),
        forwarder,
        places: Arc::new(Semaphore::new(IN_FLIGHT)),
    };
    let mut relayed = JoinSet::new();
    // One more, so that a query that does not fit is not taken for a shorter one.
    let mut buffer = vec![0; LARGEST_DATAGRAM + 1];
    loop {
        tokio::select! {
            received = server.socket.recv_from(&mut buffer) => match received {
                Ok((count @ ..=LARGEST_DATAGRAM, client)) => {
                    server.handle(&buffer[..count], client, &mut relayed);
                }
                Ok((_, client)) => tracing::debug!(%client, "a query is too long"),
                Err(error) => {
                    tracing::warn!(%error, "receiving a query failed");
                    sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = relayed.join_next() => {}
        }
    }
}

struct Server {
    socket: Arc<UdpSocket>,
    forwarder: Arc<Forwarder>,
    places: Arc<Semaphore>,
}

impl Server {
    fn handle(&self, bytes: &[u8], client: SocketAddr, relayed: &mut JoinSet<()>) {
        let query = match self.forwarder.receive(bytes) {
            Received::Query(query) => query,
            Received::Refused(answer) => return self.answer(&answer, client),
            Received::Noise => return,
        };
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            return self.answer(&self.forwarder.fail(&query), client);
        };
        let (socket, forwarder) = (self.socket.clone(), self.forwarder.clone());
        relayed.spawn(async move {
            let _place = place;
            let answer = forwarder.forward(&query, Transport::Datagram).await;
            if let Err(error) = socket.send_to(&answer, client).await {
                tracing::debug!(%client, %error, "an answer could not be sent");
            }
        });
    }

    /// Without waiting: an answer that cannot go now is lost, as datagrams may be.
    fn answer(&self, answer: &[u8], client: SocketAddr) {
        if let Err(error) = self.socket.try_send_to(answer, client) {
            tracing::debug!(%client, %error, "an answer could not be sent");
        }
    }
}
