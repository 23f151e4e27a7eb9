//! What the edge serves inside one network: registry, name forwarder and TokenReview on its platform address, kept there for
//! as long as the configuration has the network. A namespace that is not there (yet), or was made anew, is tried again and reported.

use std::{
    collections::HashMap,
    io,
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    path::PathBuf,
    sync::{Arc, RwLock},
    time::Duration,
};

use ports::edge::{EdgeNetwork, IDENTITY_PORT, REGISTRY_PORT, RegistryClient};
use tokio::{
    net::{TcpListener, TcpStream, UdpSocket},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep},
};
use types::NetworkId;

use crate::{
    dns::{self, Forwarder},
    identity::{self, Desk, Door, Tls},
    registry::{self, Images},
    sockets::{Identity, Purpose, Sockets},
};

const RETRY: Duration = Duration::from_millis(500);
/// How often it is checked that the namespace is still the one listened in.
const CHECK: Duration = Duration::from_secs(5);
const CONNECTIONS: usize = 256;

/// Whether the listeners are there; `None` before the first try.
pub(crate) type Listening = Option<Result<(), String>>;

pub(crate) struct NetworkServer {
    namespace: PathBuf,
    address: Ipv4Addr,
    clients: Arc<Clients>,
    door: Arc<Door>,
    listening: watch::Receiver<Listening>,
    /// Connections of this network hold the other end and notice when this one goes.
    alive: watch::Sender<()>,
    _tasks: JoinSet<()>,
}

#[derive(Default)]
pub(crate) struct Clients(RwLock<HashMap<Ipv4Addr, Arc<RegistryClient>>>);

impl Clients {
    pub(crate) fn find(&self, address: Ipv4Addr) -> Option<Arc<RegistryClient>> {
        self.0
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .get(&address)
            .cloned()
    }

    fn replace(&self, clients: &[RegistryClient]) {
        let clients = clients
            .iter()
            .map(|client| (client.address, Arc::new(client.clone())))
            .collect();
        *self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = clients;
    }
}

/// What all networks are served with.
#[derive(Clone)]
pub(crate) struct Shared {
    pub sockets: Sockets,
    pub images: Arc<Images>,
    pub forwarder: Arc<Forwarder>,
    pub desk: Arc<Desk>,
}

impl NetworkServer {
    pub(crate) fn start(network: &EdgeNetwork, shared: Shared, tls: Option<Arc<Tls>>) -> Self {
        let address = network.platform_address;
        let clients = Arc::new(Clients::default());
        clients.replace(&network.clients);
        let door = Arc::new(Door::new(network.id.clone(), tls));
        let (report, listening) = watch::channel(None);
        let keeper = Keeper {
            id: network.id.clone(),
            namespace: network.namespace.clone(),
            address,
            shared,
            clients: clients.clone(),
            door: door.clone(),
            report,
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(keeper.keep());
        Self {
            namespace: network.namespace.clone(),
            address,
            clients,
            door,
            listening,
            alive: watch::Sender::new(()),
            _tasks: tasks,
        }
    }

    /// Whether the network's listeners may stay as it is under a new configuration.
    pub(crate) fn serves(&self, network: &EdgeNetwork) -> bool {
        self.namespace == network.namespace && self.address == network.platform_address
    }

    pub(crate) fn update(&self, network: &EdgeNetwork, tls: Option<Arc<Tls>>) {
        self.clients.replace(&network.clients);
        self.door.set(tls);
    }

    pub(crate) fn door(&self) -> &Arc<Door> {
        &self.door
    }

    pub(crate) fn alive(&self) -> watch::Receiver<()> {
        self.alive.subscribe()
    }

    pub(crate) fn listening(&self) -> watch::Receiver<Listening> {
        self.listening.clone()
    }
}

/// All that listens inside the namespace.
struct Listeners {
    registry: TcpListener,
    identity: TcpListener,
    dns_streams: TcpListener,
    dns_datagrams: UdpSocket,
    namespace: Identity,
}

struct Keeper {
    id: NetworkId,
    namespace: PathBuf,
    address: Ipv4Addr,
    shared: Shared,
    clients: Arc<Clients>,
    door: Arc<Door>,
    report: watch::Sender<Listening>,
}

impl Keeper {
    async fn keep(self) {
        // Connections end with this task, that is, with the network.
        let mut connections = JoinSet::new();
        loop {
            match self.open().await {
                Ok(listeners) => {
                    tracing::info!(network = %self.id, address = %self.address, "registry, name forwarder and TokenReview listen");
                    self.report.send_replace(Some(Ok(())));
                    self.serve(listeners, &mut connections).await;
                    tracing::warn!(network = %self.id, "the namespace changed; listening anew");
                }
                Err(error) => {
                    let reason = format!("{}: {error}", self.namespace.display());
                    let news = Some(Err(reason.clone()));
                    if *self.report.borrow() != news {
                        tracing::warn!(network = %self.id, %reason, "cannot listen yet");
                        self.report.send_replace(news);
                    }
                    sleep(RETRY).await;
                }
            }
        }
    }

    async fn open(&self) -> io::Result<Listeners> {
        let at = |port| SocketAddrV4::new(self.address, port);
        let purposes = [
            Purpose::Listen(at(REGISTRY_PORT)),
            Purpose::Listen(at(IDENTITY_PORT)),
            Purpose::Listen(at(dns::PORT)),
            Purpose::Receive(at(dns::PORT)),
        ];
        let made = self.shared.sockets.make(&self.namespace, purposes).await?;
        let ([registry, identity, streams, datagrams], namespace) = made;
        Ok(Listeners {
            registry: TcpListener::from_std(registry.into())?,
            identity: TcpListener::from_std(identity.into())?,
            dns_streams: TcpListener::from_std(streams.into())?,
            dns_datagrams: UdpSocket::from_std(datagrams.into())?,
            namespace,
        })
    }

    /// Serves until the namespace under this name is another one.
    async fn serve(&self, listeners: Listeners, connections: &mut JoinSet<()>) {
        let Listeners {
            registry,
            identity,
            dns_streams,
            dns_datagrams,
            namespace,
        } = listeners;
        let mut forwarding = JoinSet::new();
        forwarding.spawn(dns::serve_streams(dns_streams, self.shared.forwarder.clone()));
        forwarding.spawn(dns::serve_datagrams(dns_datagrams, self.shared.forwarder.clone()));
        let (pulls, questions) = (Places::new(), Places::new());
        let mut check = interval(CHECK);
        check.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                Some((stream, peer, place)) = pulls.next(&registry) => {
                    let (clients, images) = (self.clients.clone(), self.shared.images.clone());
                    connections.spawn(async move {
                        let _place = place;
                        registry::serve(stream, peer, clients, images).await;
                    });
                }
                Some((stream, _, place)) = questions.next(&identity) => {
                    let (door, desk) = (self.door.clone(), self.shared.desk.clone());
                    connections.spawn(async move {
                        let _place = place;
                        identity::serve(stream, door, desk).await;
                    });
                }
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                _ = check.tick() => {
                    if Identity::at(&self.namespace).ok() != Some(namespace) {
                        return;
                    }
                }
            }
        }
    }
}

/// Room for so many connections of one kind at once; further ones wait in the kernel.
struct Places(Arc<Semaphore>);

impl Places {
    fn new() -> Self {
        Self(Arc::new(Semaphore::new(CONNECTIONS)))
    }

    /// Nothing when accepting failed: the next try may go better.
    async fn next(&self, listener: &TcpListener) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
        let place = self.0.clone().acquire_owned().await.ok()?;
        let (stream, peer) = listener.accept().await.ok()?;
        Some((stream, peer, place))
    }
}
