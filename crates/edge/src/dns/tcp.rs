//! Queries on connections: several on each, answered one after the other.

use std::{io, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{Forwarder, message::Received, stream, upstream::Transport};

const CONNECTIONS: usize = 128;
/// How long a client may take for its next query, or for taking an answer.
const IDLE: Duration = Duration::from_secs(10);

/// Serves for ever; connections end with it.
pub(crate) async fn serve(listener: TcpListener, forwarder: Arc<Forwarder>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            let place = places.clone().acquire_owned().await;
            (listener.accept().await, place)
        };
        tokio::select! {
            (accepted, place) = accepted => match accepted {
                Ok((stream, client)) => {
                    let forwarder = forwarder.clone();
                    connections.spawn(async move {
                        let _place = place;
                        if let Err(error) = answer(stream, &forwarder).await {
                            tracing::debug!(%client, %error, "a connection with queries broke");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection with queries failed");
                    sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn answer(mut client: TcpStream, forwarder: &Forwarder) -> io::Result<()> {
    client.set_nodelay(true)?;
    while let Some(bytes) = timeout(IDLE, stream::read(&mut client)).await?? {
        let answer = match forwarder.receive(&bytes) {
            Received::Query(query) => forwarder.forward(&query, Transport::Stream).await,
            Received::Refused(answer) => answer,
            Received::Noise => return Ok(()),
        };
        timeout(IDLE, stream::write(&mut client, &answer)).await??;
    }
    Ok(())
}
