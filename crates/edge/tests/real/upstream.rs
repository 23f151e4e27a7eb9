//! A resolver of the host's, over UDP and TCP on an address of the host's loopback that nobody else uses.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, UdpSocket},
    task::JoinSet,
};

/// How a resolver behaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Answers,
    Refuses,
    /// Sends what does not belong to the query first.
    AfterForgeries,
    Silent,
}

/// A query as it arrived: who sent it and its bytes.
pub type Heard = (SocketAddr, Vec<u8>);

pub struct Upstream {
    pub address: Ipv4Addr,
    heard: Arc<Mutex<Vec<Heard>>>,
    _serving: JoinSet<()>,
}

impl Upstream {
    /// Its answers carry `label` as their only record's data.
    pub async fn start(manner: Manner, label: u8) -> Self {
        let (address, datagrams, listener) = loop {
            let unique = types::NetworkId::generate()
                .to_string()
                .bytes()
                .fold(7u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
            let [_, a, b, c] = unique.to_be_bytes();
            let address = Ipv4Addr::new(127, a | 1, b, c.clamp(1, 254));
            if let (Ok(datagrams), Ok(listener)) = (
                UdpSocket::bind((address, 53)).await,
                TcpListener::bind((address, 53)).await,
            ) {
                break (address, datagrams, listener);
            }
        };
        let heard = Arc::new(Mutex::new(Vec::new()));
        let mut serving = JoinSet::new();
        let listed = heard.clone();
        serving.spawn(async move {
            let mut buffer = [0; 5000];
            while let Ok((count, peer)) = datagrams.recv_from(&mut buffer).await {
                let query = buffer[..count].to_vec();
                listed.lock().unwrap().push((peer, query.clone()));
                for answer in answers(&query, manner, label) {
                    datagrams.send_to(&answer, peer).await.unwrap();
                }
            }
        });
        let listed = heard.clone();
        serving.spawn(async move {
            while let Ok((mut stream, peer)) = listener.accept().await {
                let length = usize::from(stream.read_u16().await.unwrap());
                let mut query = vec![0; length];
                stream.read_exact(&mut query).await.unwrap();
                listed.lock().unwrap().push((peer, query.clone()));
                for answer in answers(&query, manner, label) {
                    stream
                        .write_u16(u16::try_from(answer.len()).unwrap())
                        .await
                        .unwrap();
                    stream.write_all(&answer).await.unwrap();
                }
            }
        });
        Self {
            address,
            heard,
            _serving: serving,
        }
    }

    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    pub fn line(&self) -> String {
        format!("nameserver {}\n", IpAddr::V4(self.address))
    }
}

fn answers(query: &[u8], manner: Manner, label: u8) -> Vec<Vec<u8>> {
    let mut answer = query.to_vec();
    answer[2] |= 0x80;
    answer[3] = 0x80;
    answer[7] = 1;
    // A pointer to the question's name, A, IN, an hour, four bytes.
    answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 14, 16, 0, 4, 10, 0, 0, label]);
    // The name says what is wanted of the answer, too.
    if query[13..].starts_with(b"large") {
        answer.resize(answer.len() + 4500, 0);
    }
    if query[13..].starts_with(b"truncated") {
        answer[2] |= 0x02;
    }
    match manner {
        Manner::Answers => vec![answer],
        Manner::Silent => Vec::new(),
        Manner::Refuses => {
            answer[3] |= 5;
            vec![answer]
        }
        Manner::AfterForgeries => {
            let (mut id, mut question, mut query) = (answer.clone(), answer.clone(), answer.clone());
            id[0] ^= 1;
            question[14] ^= 1;
            query[2] &= 0x7f;
            vec![id, question, query, vec![1, 2, 3], answer]
        }
    }
}
