//! Sockets of other network namespaces. A socket belongs for life to the namespace its maker was in, and a thread of the
//! runtime never changes its namespace; so one thread makes them, entering and leaving, and hands them over.

use std::{
    fs::File,
    io,
    net::{SocketAddrV4, TcpListener},
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

struct Job {
    namespace: PathBuf,
    listen: Option<SocketAddrV4>,
    answer: oneshot::Sender<io::Result<(OwnedFd, Identity)>>,
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
        self.ask(namespace, None).await.map(|(socket, _)| socket)
    }

    /// A listening socket inside the namespace.
    pub(crate) async fn listener(
        &self,
        namespace: &Path,
        address: SocketAddrV4,
    ) -> io::Result<(TcpListener, Identity)> {
        self.ask(namespace, Some(address))
            .await
            .map(|(socket, identity)| (socket.into(), identity))
    }

    async fn ask(&self, namespace: &Path, listen: Option<SocketAddrV4>) -> io::Result<(OwnedFd, Identity)> {
        let gone = || io::Error::other("the thread that makes sockets is gone");
        let (answer, answered) = oneshot::channel();
        self.jobs
            .send(Job {
                namespace: namespace.to_owned(),
                listen,
                answer,
            })
            .map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

fn make(job: &Job) -> io::Result<(OwnedFd, Identity)> {
    let namespace = File::open(&job.namespace)?;
    let identity = Identity::of(&namespace)?;
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    if let Some(address) = job.listen {
        sockopt::set_socket_reuseaddr(&socket, true)?;
        bind(&socket, &address)?;
        listen(&socket, BACKLOG)?;
    }
    Ok((socket, identity))
}
