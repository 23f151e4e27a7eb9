//! Taking the endpoint's port, or saying who has it.

use std::{io, net::SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

use crate::{error::Error, holder};

pub(crate) fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    let open = || -> io::Result<TcpListener> {
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(1024)
    };
    open().map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => Error::PortInUse {
            address,
            holder: holder::holder(address),
        },
        _ => Error::Listen { address, source },
    })
}
