//! A TLS server inside a namespace that greets with its label and echoes, and clients that ask for it by name.

use std::{io, net::SocketAddr, path::Path, sync::Arc, time::Duration};

use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{PrivateKeyDer, ServerName},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::{TlsAcceptor, TlsConnector, client::TlsStream};

use crate::edge::{MACHINE, inside};

pub struct Backend {
    roots: RootCertStore,
    _serving: JoinSet<()>,
}

impl Backend {
    pub fn start(namespace: &Path, port: u16, name: &str, label: &'static str) -> Self {
        let issued = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(issued.cert.der().clone()).unwrap();
        let key = PrivateKeyDer::try_from(issued.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![issued.cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = inside(namespace, || {
            std::net::TcpListener::bind((MACHINE, port)).unwrap()
        });
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                connections.spawn(async move {
                    let mut stream = acceptor.accept(stream).await?;
                    stream.write_all(label.as_bytes()).await?;
                    let mut buffer = [0; 4096];
                    loop {
                        match stream.read(&mut buffer).await? {
                            // The client is done sending; a last word shows that this direction is still open.
                            0 => {
                                stream.write_all(b"bye").await?;
                                return stream.shutdown().await;
                            }
                            count => stream.write_all(&buffer[..count]).await?,
                        }
                    }
                });
            }
        });
        Self {
            roots,
            _serving: serving,
        }
    }

    /// Asks the endpoint for a name; answers the connection and the label of who greeted.
    pub async fn ask(&self, endpoint: SocketAddr, name: &str) -> io::Result<(TlsStream<TcpStream>, String)> {
        let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(self.roots.clone())
            .with_no_client_auth();
        let connecting = async {
            let stream = TcpStream::connect(endpoint).await?;
            let name = ServerName::try_from(name.to_owned()).unwrap();
            let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
            let mut label = [0; 3];
            stream.read_exact(&mut label).await?;
            Ok((stream, String::from_utf8_lossy(&label).into_owned()))
        };
        timeout(Duration::from_secs(10), connecting).await?
    }
}

pub async fn echoes(stream: &mut TlsStream<TcpStream>, text: &str) -> bool {
    let mut back = vec![0; text.len()];
    let exchange = async {
        stream.write_all(text.as_bytes()).await?;
        stream.flush().await?;
        stream.read_exact(&mut back).await
    };
    matches!(timeout(Duration::from_secs(10), exchange).await, Ok(Ok(_))) && back == text.as_bytes()
}
