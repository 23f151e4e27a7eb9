//! Sockets of other network namespaces. A socket belongs for life to the namespace its maker was in, and a thread of the
//! runtime never changes its namespace; so one thread makes them, entering and leaving, and hands them over.

use std::{
    fmt::{self, Display},
    fs::File,
    io,
    net::SocketAddrV4,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    sync::mpsc,
};

use rustix::{
    fs::fstat,
    net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with, sockopt},
    thread::{LinkNameSpaceType, move_into_link_name_space},
};
use tokio::sync::oneshot;

const BACKLOG: i32 = 1024;

/// Tells one namespace from another made later under the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity(u64, u64);

impl Identity {
    fn of(file: &File) -> io::Result<Self> {
        let stat = fstat(file)?;
        Ok(Self(stat.st_dev, stat.st_ino))
    }

    /// Which namespace has that name now.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        Self::of(&File::open(path)?)
    }
}

/// What a socket is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To connect from inside the namespace.
    Connect,
    /// Listens for connections.
    Listen(SocketAddrV4),
    /// Receives datagrams.
    Receive(SocketAddrV4),
}

impl Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect => f.write_str("a connection"),
            Self::Listen(address) => write!(f, "TCP {address}"),
            Self::Receive(address) => write!(f, "UDP {address}"),
        }
    }
}

struct Job {
    namespace: PathBuf,
    purposes: Vec<Purpose>,
    answer: oneshot::Sender<io::Result<(Vec<OwnedFd>, Identity)>>,
}

/// Handle to the thread that makes sockets; it ends with the last handle.
#[derive(Clone)]
pub(crate) struct Sockets {
    jobs: mpsc::Sender<Job>,
}

impl Sockets {
    pub(crate) fn start() -> io::Result<Self> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let home = File::open("/proc/thread-self/ns/net")?;
        std::thread::Builder::new()
            .name("edge-sockets".to_owned())
            .stack_size(128 * 1024)
            .spawn(move || {
                for job in queue {
                    let made = make(&job);
                    // Back home, so that a namespace that is removed does not live on in this thread.
                    if let Err(errno) =
                        move_into_link_name_space(home.as_fd(), Some(LinkNameSpaceType::Network))
                    {
                        tracing::error!(%errno, "could not leave a network namespace");
                    }
                    let _ = job.answer.send(made);
                }
            })?;
        Ok(Self { jobs })
    }

    /// A socket to connect from inside the namespace.
    pub(crate) async fn stream(&self, namespace: &Path) -> io::Result<OwnedFd> {
        let ([socket], _) = self.make(namespace, [Purpose::Connect]).await?;
        Ok(socket)
    }

    /// All of these sockets, in one and the same namespace, or none.
    pub(crate) async fn make<const N: usize>(
        &self,
        namespace: &Path,
        purposes: [Purpose; N],
    ) -> io::Result<([OwnedFd; N], Identity)> {
        let gone = || io::Error::other("the thread that makes sockets is gone");
        let (answer, answered) = oneshot::channel();
        self.jobs
            .send(Job {
                namespace: namespace.to_owned(),
                purposes: purposes.to_vec(),
                answer,
            })
            .map_err(|_| gone())?;
        let (made, identity) = answered.await.map_err(|_| gone())??;
        Ok((made.try_into().map_err(|_| gone())?, identity))
    }
}

fn make(job: &Job) -> io::Result<(Vec<OwnedFd>, Identity)> {
    let namespace = File::open(&job.namespace)?;
    let identity = Identity::of(&namespace)?;
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
    let sockets = job.purposes.iter().map(|purpose| {
        open(*purpose).map_err(|error| io::Error::new(error.kind(), format!("{purpose}: {error}")))
    });
    Ok((sockets.collect::<io::Result<_>>()?, identity))
}

fn open(purpose: Purpose) -> io::Result<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let new = |kind| socket_with(AddressFamily::INET, kind, flags, None);
    match purpose {
        Purpose::Connect => Ok(new(SocketType::STREAM)?),
        Purpose::Listen(address) => {
            let socket = new(SocketType::STREAM)?;
            sockopt::set_socket_reuseaddr(&socket, true)?;
            bind(&socket, &address)?;
            listen(&socket, BACKLOG)?;
            Ok(socket)
        }
        Purpose::Receive(address) => {
            let socket = new(SocketType::DGRAM)?;
            bind(&socket, &address)?;
            Ok(socket)
        }
    }
}
