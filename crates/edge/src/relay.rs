//! Moving bytes between two connections until both sides are done. A side that has finished sending is passed on as such;
//! the other direction goes on. A peer that vanished is noticed by keepalive.

use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use rustix::net::sockopt;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use crate::metrics::Counter;

const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(15);
const KEEPALIVE_TRIES: u32 = 4;

/// Settings of both sides: small writes go at once, dead peers are found.
pub(crate) fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, KEEPALIVE_IDLE)?;
    sockopt::set_tcp_keepintvl(stream, KEEPALIVE_EVERY)?;
    sockopt::set_tcp_keepcnt(stream, KEEPALIVE_TRIES)?;
    Ok(())
}

/// Ends when both directions have ended, or when `over` does.
pub(crate) async fn relay(
    client: impl AsyncRead + AsyncWrite + Unpin,
    backend: TcpStream,
    (inward, outward): (&Counter, &Counter),
    over: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut client = Counted {
        stream: client,
        read: inward,
    };
    let mut backend = Counted {
        stream: backend,
        read: outward,
    };
    tokio::select! {
        moved = tokio::io::copy_bidirectional(&mut client, &mut backend) => moved.map(drop),
        () = over => Ok(()),
    }
}

/// A connection whose bytes are counted as they are read, since some connections last for days.
struct Counted<'a, S> {
    stream: S,
    read: &'a Counter,
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<'_, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        self.read.add((buf.filled().len() - before) as u64);
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<'_, S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
