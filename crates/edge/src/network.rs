//! What the edge serves inside one network: the registry and the name forwarder on its platform address, kept there for as
//! long as the configuration has the network. A namespace that is not there (yet), or was made anew, is tried again and reported.

use std::{
    collections::HashMap,
    io,
    net::{Ipv4Addr, SocketAddrV4},
    path::PathBuf,
    sync::{Arc, RwLock},
    time::Duration,
};

use ports::edge::{EdgeNetwork, REGISTRY_PORT, RegistryClient};
use tokio::{
    net::{TcpListener, UdpSocket},
    sync::{Semaphore, watch},
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep},
};
use types::NetworkId;

use crate::{
    dns::{self, Forwarder},
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

impl NetworkServer {
    pub(crate) fn start(
        network: &EdgeNetwork,
        sockets: Sockets,
        images: Arc<Images>,
        forwarder: Arc<Forwarder>,
    ) -> Self {
        let address = network.platform_address;
        let clients = Arc::new(Clients::default());
        clients.replace(&network.clients);
        let (report, listening) = watch::channel(None);
        let keeper = Keeper {
            id: network.id.clone(),
            namespace: network.namespace.clone(),
            address,
            sockets,
            clients: clients.clone(),
            images,
            forwarder,
            report,
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(keeper.keep());
        Self {
            namespace: network.namespace.clone(),
            address,
            clients,
            listening,
            alive: watch::Sender::new(()),
            _tasks: tasks,
        }
    }

    /// Whether the network's listeners may stay as it is under a new configuration.
    pub(crate) fn serves(&self, network: &EdgeNetwork) -> bool {
        self.namespace == network.namespace && self.address == network.platform_address
    }

    pub(crate) fn update(&self, network: &EdgeNetwork) {
        self.clients.replace(&network.clients);
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
    dns_streams: TcpListener,
    dns_datagrams: UdpSocket,
    identity: Identity,
}

struct Keeper {
    id: NetworkId,
    namespace: PathBuf,
    address: Ipv4Addr,
    sockets: Sockets,
    clients: Arc<Clients>,
    images: Arc<Images>,
    forwarder: Arc<Forwarder>,
    report: watch::Sender<Listening>,
}

impl Keeper {
    async fn keep(self) {
        // Connections end with this task, that is, with the network.
        let mut connections = JoinSet::new();
        loop {
            match self.open().await {
                Ok(listeners) => {
                    tracing::info!(network = %self.id, address = %self.address, "registry and name forwarder listen");
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
            Purpose::Listen(at(dns::PORT)),
            Purpose::Receive(at(dns::PORT)),
        ];
        let ([registry, streams, datagrams], identity) = self.sockets.make(&self.namespace, purposes).await?;
        Ok(Listeners {
            registry: TcpListener::from_std(registry.into())?,
            dns_streams: TcpListener::from_std(streams.into())?,
            dns_datagrams: UdpSocket::from_std(datagrams.into())?,
            identity,
        })
    }

    /// Serves until the namespace under this name is another one.
    async fn serve(&self, listeners: Listeners, connections: &mut JoinSet<()>) {
        let Listeners {
            registry: listener,
            dns_streams,
            dns_datagrams,
            identity,
        } = listeners;
        let mut forwarding = JoinSet::new();
        forwarding.spawn(dns::serve_streams(dns_streams, self.forwarder.clone()));
        forwarding.spawn(dns::serve_datagrams(dns_datagrams, self.forwarder.clone()));
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let mut check = interval(CHECK);
        check.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let accepted = async {
                let place = places.clone().acquire_owned().await;
                (listener.accept().await, place)
            };
            tokio::select! {
                (Ok((stream, peer)), place) = accepted => {
                    let (clients, images) = (self.clients.clone(), self.images.clone());
                    connections.spawn(async move {
                        let _place = place;
                        registry::serve(stream, peer, clients, images).await;
                    });
                }
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                _ = check.tick() => {
                    if Identity::at(&self.namespace).ok() != Some(identity) {
                        return;
                    }
                }
            }
        }
    }
}
