//! Asking one resolver, once, from the host's namespace: the threads of the runtime never leave it. Each try has a socket
//! of its own, for which the kernel picks a port at random, and an id of its own.

use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::net::{TcpStream, UdpSocket};

use super::{
    message::{LARGEST_DATAGRAM, Query, shortened},
    stream,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Datagram,
    Stream,
}

/// The answer for the client. It waits for as long as the caller does.
pub(super) async fn ask(query: &Query, server: SocketAddr, transport: Transport) -> io::Result<Vec<u8>> {
    let mut id = [0; 2];
    getrandom::fill(&mut id).map_err(io::Error::other)?;
    let id = u16::from_ne_bytes(id);
    match transport {
        Transport::Datagram => datagram(query, server, id).await,
        Transport::Stream => connection(query, server, id).await,
    }
}

async fn datagram(query: &Query, server: SocketAddr, id: u16) -> io::Result<Vec<u8>> {
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).await?;
    // Connected, it hears this server only, and hears at once when nobody listens there.
    socket.connect(server).await?;
    socket.send(&query.under(id)).await?;
    // One more, to tell what fits from what does not.
    let mut buffer = vec![0; LARGEST_DATAGRAM + 1];
    loop {
        let count = socket.recv(&mut buffer).await?;
        // What does not match is somebody guessing; the answer may still come.
        if let Some(answer) = query.answer(id, buffer[..count].to_vec()) {
            return Ok(match count {
                ..=LARGEST_DATAGRAM => answer,
                _ => shortened(&answer),
            });
        }
    }
}

async fn connection(query: &Query, server: SocketAddr, id: u16) -> io::Result<Vec<u8>> {
    let mut connection = TcpStream::connect(server).await?;
    stream::write(&mut connection, &query.under(id)).await?;
    let answer = stream::read(&mut connection).await?;
    answer
        .and_then(|answer| query.answer(id, answer))
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}
