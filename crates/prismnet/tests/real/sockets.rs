//! Sockets inside a namespace, made on a thread that entered it.

use std::{
    fs::File,
    io::{self, Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream},
    os::fd::AsFd,
    path::Path,
    sync::Arc,
    thread::JoinHandle,
    time::Duration,
};

use rustix::{
    net::{AddressFamily, SocketType, sockopt},
    thread::{LinkNameSpaceType, move_into_link_name_space},
};

/// Long enough for a loaded machine, short enough for what must not answer.
pub const SILENCE: Duration = Duration::from_millis(700);
const PATIENCE: Duration = Duration::from_secs(5);

pub fn inside<T: Send>(namespace: &Path, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                let file = File::open(namespace).unwrap_or_else(|e| panic!("{}: {e}", namespace.display()));
                move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
                work()
            })
            .join()
            .unwrap()
    })
}

/// A server that greets with a label and the caller's address, then echoes. Ends when dropped.
pub struct Server {
    listener: Arc<TcpListener>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start(namespace: &Path, address: (Ipv4Addr, u16), label: &str) -> Self {
        let listener = Arc::new(inside(namespace, || TcpListener::bind(address).unwrap()));
        let (accepting, label) = (listener.clone(), label.to_owned());
        let thread = std::thread::spawn(move || {
            while let Ok((stream, peer)) = accepting.accept() {
                let label = label.clone();
                std::thread::spawn(move || greet_and_echo(stream, peer, &label));
            }
        });
        Self {
            listener,
            thread: Some(thread),
        }
    }
}

fn greet_and_echo(mut stream: TcpStream, peer: SocketAddr, label: &str) -> Option<()> {
    writeln!(stream, "{label} {peer}").ok()?;
    let mut buffer = [0; 256];
    loop {
        match stream.read(&mut buffer).ok()? {
            0 => return None,
            count => stream.write_all(&buffer[..count]).ok()?,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = rustix::net::shutdown(&*self.listener, rustix::net::Shutdown::Both);
        self.thread.take().map(JoinHandle::join);
    }
}

/// Connects from a namespace, from a given address where it matters.
pub fn connect(
    namespace: &Path,
    from: Option<(Ipv4Addr, u16)>,
    to: (Ipv4Addr, u16),
    patience: Duration,
) -> io::Result<TcpStream> {
    inside(namespace, || {
        let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None)?;
        sockopt::set_socket_reuseaddr(&socket, true)?;
        sockopt::set_socket_timeout(&socket, sockopt::Timeout::Send, Some(patience))?;
        sockopt::set_socket_timeout(&socket, sockopt::Timeout::Recv, Some(PATIENCE))?;
        if let Some((address, port)) = from {
            rustix::net::bind(&socket, &SocketAddrV4::new(address, port))?;
        }
        rustix::net::connect(&socket, &SocketAddrV4::new(to.0, to.1))?;
        Ok(TcpStream::from(socket))
    })
}

/// The greeting of whoever answers: its label and the address it saw.
pub fn greeting(stream: &mut TcpStream) -> io::Result<(String, IpAddr)> {
    let mut text = String::new();
    let mut byte = [0];
    while stream.read(&mut byte)? == 1 && byte[0] != b'\n' {
        text.push(byte[0] as char);
    }
    let (label, peer) = text.rsplit_once(' ').ok_or(io::ErrorKind::UnexpectedEof)?;
    let peer: SocketAddr = peer.parse().map_err(|_| io::ErrorKind::InvalidData)?;
    Ok((label.to_owned(), peer.ip()))
}

pub fn ask(namespace: &Path, to: (Ipv4Addr, u16)) -> io::Result<(String, IpAddr)> {
    greeting(&mut connect(namespace, None, to, PATIENCE)?)
}

pub fn ask_from(namespace: &Path, from: (Ipv4Addr, u16), to: (Ipv4Addr, u16)) -> io::Result<TcpStream> {
    connect(namespace, Some(from), to, PATIENCE)
}

/// Nobody answers.
pub fn silent(namespace: &Path, to: (Ipv4Addr, u16)) -> bool {
    connect(namespace, None, to, SILENCE).is_err()
}

/// What is written comes back.
pub fn echoes(stream: &mut TcpStream, text: &str) -> bool {
    let mut back = vec![0; text.len()];
    stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.read_exact(&mut back))
        .is_ok()
        && back == text.as_bytes()
}
