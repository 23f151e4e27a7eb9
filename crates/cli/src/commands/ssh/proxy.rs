//! `cloud ssh-proxy`: what ssh runs instead of a connection of its own. It carries its standard input and output through the
//! platform's tunnel and knows nothing of what is in them.

use std::{fs, io, path::PathBuf, sync::Arc, time::Duration};

use clap::Args;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use zeroize::Zeroizing;

use super::session::Way;
use crate::failure::{Exit, Failure};

const PATIENCE: Duration = Duration::from_secs(15);
const LONGEST_HEAD: usize = 8 * 1024;
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

#[derive(Debug, Args)]
pub struct SshProxy {
    /// Says where to, and has the ticket
    #[arg(long, value_name = "FILE")]
    way: PathBuf,
}

impl SshProxy {
    pub async fn run(self) -> Result<(), Failure> {
        let way = self.read()?;
        let opened = timeout(PATIENCE, open(&way)).await;
        let (stream, begun) =
            opened.unwrap_or_else(|_| Err(unreachable(&way, &io::ErrorKind::TimedOut.into())))?;
        let (mut from, mut to) = tokio::io::split(stream);
        let outward = async {
            let mut stdin = tokio::io::stdin();
            let moved = tokio::io::copy(&mut stdin, &mut to).await;
            let _ = to.shutdown().await;
            moved
        };
        let inward = async {
            let mut stdout = tokio::io::stdout();
            stdout.write_all(&begun).await?;
            stdout.flush().await?;
            let moved = tokio::io::copy(&mut from, &mut stdout).await;
            stdout.flush().await?;
            moved
        };
        tokio::pin!(outward);
        tokio::pin!(inward);
        let ended = tokio::select! {
            ended = &mut inward => ended,
            sent = &mut outward => match sent {
                Ok(_) => inward.await,
                Err(error) => Err(error),
            },
        };
        // Not back to the runtime, which would wait for a reader of standard input that may never return.
        std::process::exit(i32::from(
            ended.is_err_and(|error| error.kind() != io::ErrorKind::UnexpectedEof),
        ))
    }

    fn read(&self) -> Result<Way, Failure> {
        let failed = |cause: String| {
            Failure::new(
                Exit::Failed,
                "ssh-way-unreadable",
                format!("{}: {cause}", self.way.display()),
                "run `cloud ssh` again; it makes the file",
            )
        };
        let bytes = fs::read(&self.way).map_err(|error| failed(error.to_string()))?;
        let bytes = Zeroizing::new(bytes);
        // What is wrong with it is not shown: it has a ticket in it.
        serde_json::from_slice(&bytes).map_err(|_| failed("it is damaged".to_owned()))
    }
}

/// The tunnel, and what came through it already.
async fn open(way: &Way) -> Result<(TlsStream<TcpStream>, Vec<u8>), Failure> {
    let tunnel = &way.tunnel;
    let name = ServerName::try_from(tunnel.server_name.clone());
    let name = name.map_err(|error| unreachable(way, &io::Error::other(error)))?;
    let connector = TlsConnector::from(Arc::new(
        trusting(&tunnel.authorities).map_err(|e| unreachable(way, &e))?,
    ));
    let connect = async {
        let stream = TcpStream::connect(&tunnel.endpoint).await?;
        stream.set_nodelay(true)?;
        connector.connect(name, stream).await
    };
    let mut stream = connect.await.map_err(|error| unreachable(way, &error))?;
    let request = Zeroizing::new(format!(
        "CONNECT {0}:22 HTTP/1.1\r\nHost: {0}:22\r\nProxy-Authorization: Bearer {1}\r\n\r\n",
        way.instance, tunnel.ticket
    ));
    let asked = asked(&mut stream, request.as_bytes()).await;
    let (head, begun) = asked.map_err(|error| unreachable(way, &error))?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    if status == "200" {
        return Ok((stream, begun));
    }
    let mut told = begun;
    let _ = (&mut stream).take(1024).read_to_end(&mut told).await;
    Err(refused(status, &String::from_utf8_lossy(&told)))
}

async fn asked(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    request: &[u8],
) -> io::Result<(String, Vec<u8>)> {
    stream.write_all(request).await?;
    stream.flush().await?;
    let mut seen = Vec::with_capacity(1024);
    loop {
        if let Some(at) = seen.windows(END_OF_HEAD.len()).position(|w| w == END_OF_HEAD) {
            let rest = seen.split_off(at + END_OF_HEAD.len());
            return Ok((String::from_utf8_lossy(&seen).into_owned(), rest));
        }
        if seen.len() > LONGEST_HEAD {
            return Err(io::Error::other("the answer is not one of a tunnel"));
        }
        if stream.read_buf(&mut seen).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn trusting(authorities: &str) -> io::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for root in CertificateDer::pem_slice_iter(authorities.as_bytes()) {
        let root = root.map_err(|_| io::Error::other("the platform's authorities are not PEM"))?;
        roots.add(root).map_err(io::Error::other)?;
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = builder
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn unreachable(way: &Way, error: &io::Error) -> Failure {
    Failure::new(
        Exit::Unreachable,
        "tunnel-unreachable",
        format!("no tunnel through {}: {error}", way.tunnel.endpoint),
        "check that the platform's endpoint is reachable from here; `cloud k8s list` shows it",
    )
}

fn refused(status: &str, told: &str) -> Failure {
    let told = told.trim();
    match status {
        "403" => Failure::new(
            Exit::Refused,
            "ticket-refused",
            told,
            "run `cloud ssh` again for a new one",
        ),
        "429" => Failure::new(Exit::Refused, "tunnels-exhausted", told, "close one of them"),
        "502" => Failure::new(
            Exit::Failed,
            "instance-silent",
            told,
            "look at it with `cloud instance get`; its sshd may be down, or the instance just starting",
        ),
        _ => Failure::new(
            Exit::Failed,
            "answer-unexpected",
            format!("the tunnel answered {status}: {told}"),
            "check that `cloud` and the platform have the same version: `cloud version`",
        ),
    }
}
