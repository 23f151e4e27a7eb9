//! Asking for names as a machine does: from an address inside the network, over UDP or TCP.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddrV4, TcpStream, UdpSocket},
    path::Path,
    time::Duration,
};

use rustix::net::{AddressFamily, SocketType, bind, connect, socket};

use crate::edge::{PLATFORM, inside};

/// A query for an address, with its id.
pub fn query(id: u16, name: &str) -> Vec<u8> {
    let mut bytes = id.to_be_bytes().to_vec();
    bytes.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    for label in name.split('.') {
        bytes.push(u8::try_from(label.len()).unwrap());
        bytes.extend(label.bytes());
    }
    bytes.extend([0, 0, 1, 0, 1]);
    bytes
}

/// A machine's socket for datagrams.
pub fn datagrams(namespace: &Path, from: Ipv4Addr) -> UdpSocket {
    let socket = inside(namespace, || UdpSocket::bind((from, 0)).unwrap());
    socket.connect((PLATFORM, 53)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    socket
}

pub fn connection(namespace: &Path, from: Ipv4Addr) -> TcpStream {
    let stream = inside(namespace, || {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        bind(&socket, &SocketAddrV4::new(from, 0)).unwrap();
        connect(&socket, &SocketAddrV4::new(PLATFORM, 53)).unwrap();
        TcpStream::from(socket)
    });
    stream.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
    stream
}

/// Off the runtime's thread, on which the resolvers run.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

pub fn receive(socket: &UdpSocket) -> Vec<u8> {
    let mut buffer = [0; 8192];
    let count = socket.recv(&mut buffer).unwrap();
    buffer[..count].to_vec()
}

pub async fn ask(namespace: &Path, from: Ipv4Addr, message: Vec<u8>) -> Vec<u8> {
    let socket = datagrams(namespace, from);
    blocking(move || {
        socket.send(&message).unwrap();
        receive(&socket)
    })
    .await
}

pub fn say(stream: &mut TcpStream, message: &[u8]) {
    let length = u16::try_from(message.len()).unwrap().to_be_bytes();
    stream.write_all(&[&length, message].concat()).unwrap();
}

pub fn hear(stream: &mut TcpStream) -> Vec<u8> {
    let mut length = [0; 2];
    stream.read_exact(&mut length).unwrap();
    let mut message = vec![0; u16::from_be_bytes(length).into()];
    stream.read_exact(&mut message).unwrap();
    message
}

pub fn code(answer: &[u8]) -> u8 {
    assert_eq!(answer[2] & 0x80, 0x80, "{answer:?}");
    answer[3] & 0x0f
}
