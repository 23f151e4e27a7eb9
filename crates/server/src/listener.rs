//! Binding the API's address, with a word on what to do when somebody else has it.

use std::{io, net::SocketAddr};

use tokio::net::TcpListener;
use types::Fault;

pub async fn bind(listen: SocketAddr) -> Result<TcpListener, Fault> {
    TcpListener::bind(listen)
        .await
        .map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => Fault::conflict(
                "port-in-use",
                format!("listen: {listen} is in use by another program"),
                "stop that program, or choose a free address with `listen` in cloudd.toml or --listen",
            ),
            _ => Fault::refused(
                "listen-failed",
                format!("listen: {listen} cannot be listened on: {error}"),
                "choose another address with `listen` in cloudd.toml or --listen",
            ),
        })
}
