//! The edge as a whole: takes configurations, puts them in force, keeps the last one.
//!
//! A push is accepted in this order: what it asks for is possible (the endpoint's port is ours), it is on disk, it is in
//! force, it is answered. Pushes take turns. What a push does not change is not touched: listeners stay, connections stay.

use std::{
    collections::{HashMap, HashSet},
    net::SocketAddr,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use ports::edge::{EdgeConfig, EdgeStatus, tunnel_name};
use tokio::{net::TcpListener, sync::Mutex, task::JoinSet, time::timeout};
use types::{Fault, NetworkId};

use crate::{
    control::{self, EndpointReport, NetworkReport, Report},
    dns::Forwarder,
    endpoint::bind,
    error::Error,
    identity::{Desk, Door, Tls},
    metrics::Metrics,
    network::{NetworkServer, Shared},
    registry::Images,
    router::{Backend, Destination, Router, Table},
    sockets::Sockets,
    stored::Stored,
    tunnel::{Gate, Tunnels},
    validate::check,
    volatile::{Volatile, keys_of, put_keys},
};

/// How long a push waits for the first try to listen inside new networks.
const FIRST_TRY: Duration = Duration::from_secs(2);
const ENDPOINT_RETRY: Duration = Duration::from_secs(1);

#[derive(Debug, Clone)]
pub struct Options {
    /// Where the last configuration is kept.
    pub state: PathBuf,
    /// The unix socket through which configurations come.
    pub socket: PathBuf,
    /// How many connections are open at once through the endpoint; further ones wait.
    pub connections: usize,
    /// Names the host's resolvers: `/etc/resolv.conf`.
    pub resolv_conf: PathBuf,
}

/// A running edge; cheap to clone. It serves until the last handle and [`Service::run`] are gone.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    options: Options,
    router: Arc<Router>,
    shared: Shared,
    metrics: Arc<Metrics>,
    stored: Arc<Stored>,
    volatile: Arc<Volatile>,
    force: Mutex<Force>,
}

/// What is in force.
#[derive(Default)]
struct Force {
    config: Option<EdgeConfig>,
    networks: HashMap<NetworkId, NetworkServer>,
    endpoint: Option<Endpoint>,
    endpoint_fault: Option<String>,
}

struct Endpoint {
    address: SocketAddr,
    _accepting: JoinSet<()>,
}

impl Service {
    /// Starts with the last configuration, if there is one, in force.
    pub async fn start(options: Options) -> Result<Self, Fault> {
        let stored = Arc::new(Stored::open(&options.state)?);
        let sockets = Sockets::start().map_err(|source| Error::File {
            what: "starting from",
            path: "/proc/thread-self/ns/net".into(),
            source,
        })?;
        let metrics = Arc::new(Metrics::default());
        let images = Arc::new(Images::new(metrics.clone()));
        let forwarder = Arc::new(Forwarder::new(options.resolv_conf.clone(), metrics.clone()));
        let volatile = Arc::new(Volatile::new(&options.state));
        let mut last = stored.load()?;
        if let Some(config) = &mut last {
            put_keys(config, &volatile.load());
        }
        let desk = Arc::new(Desk::new(metrics.clone()));
        let tunnels = Tunnels::new(desk.clone(), sockets.clone(), metrics.clone());
        let router = Router::new(sockets.clone(), metrics.clone(), tunnels, options.connections);
        let router = Arc::new(router);
        let inner = Inner {
            options,
            router,
            shared: Shared {
                sockets,
                images,
                forwarder,
                desk,
            },
            metrics,
            stored,
            volatile,
            force: Mutex::default(),
        };
        let service = Self {
            inner: Arc::new(inner),
        };
        if let Some(config) = last {
            service.resume(config).await;
        }
        Ok(service)
    }

    /// Answers on the unix socket, for ever.
    pub async fn run(&self) -> Result<(), Fault> {
        control::serve(self.clone(), &self.inner.options.socket)
            .await
            .map_err(|source| {
                Error::File {
                    what: "listening on",
                    path: self.inner.options.socket.clone(),
                    source,
                }
                .into()
            })
    }

    /// Puts a pushed configuration in force.
    pub async fn apply(&self, config: EdgeConfig) -> Result<EdgeStatus, Fault> {
        self.inner.metrics.pushes.add(1);
        let mut force = self.inner.force.lock().await;
        let in_force = force.config.as_ref().map_or(0, |config| config.generation);
        if config.generation < in_force {
            return Err(Error::Stale {
                given: config.generation,
                in_force,
            }
            .into());
        }
        check(&config)?;
        let listener = match &force.endpoint {
            Some(endpoint) if endpoint.address == config.endpoint => None,
            _ => Some(bind(config.endpoint)?),
        };
        let tls = doors(&force, &config)?;
        if force.config.as_ref() != Some(&config) {
            let (stored, volatile) = (self.inner.stored.clone(), self.inner.volatile.clone());
            let saved = config.clone();
            tokio::task::spawn_blocking(move || {
                volatile.save(&keys_of(&saved));
                stored.save(&saved)
            })
            .await
            .map_err(|error| Fault::internal("edge-save-panicked", error.to_string()))??;
        }
        self.put_in_force(&mut force, config, tls).await;
        if let Some(listener) = listener {
            self.listen(&mut force, listener);
        }
        Ok(EdgeStatus {
            generation: force.config.as_ref().map_or(0, |config| config.generation),
            lacks_keys: force.config.as_ref().is_some_and(EdgeConfig::lacks_keys),
        })
    }

    pub(crate) async fn report(&self) -> Report {
        let force = self.inner.force.lock().await;
        let mut networks: Vec<NetworkReport> = force
            .networks
            .iter()
            .map(|(id, server)| NetworkReport {
                id: id.clone(),
                waiting_for: match &*server.listening().borrow() {
                    Some(Ok(())) => None,
                    Some(Err(reason)) => Some(reason.clone()),
                    None => Some("the first try".to_owned()),
                },
            })
            .collect();
        networks.sort_by(|a, b| a.id.cmp(&b.id));
        Report {
            generation: force.config.as_ref().map_or(0, |config| config.generation),
            lacks_keys: force.config.as_ref().is_some_and(EdgeConfig::lacks_keys),
            endpoint: force.config.as_ref().map(|config| EndpointReport {
                address: config.endpoint,
                fault: force.endpoint_fault.clone(),
            }),
            networks,
            visits: force
                .networks
                .values()
                .flat_map(|server| server.door().visitors.report())
                .collect(),
        }
    }

    pub(crate) async fn metrics(&self) -> String {
        let report = self.report().await;
        let pending = report
            .networks
            .iter()
            .filter(|network| network.waiting_for.is_some())
            .count();
        self.inner
            .metrics
            .render(report.generation, report.networks.len(), pending)
    }

    /// After a start nobody waits for an answer: an endpoint that is taken is tried again, the rest is served meanwhile.
    async fn resume(&self, config: EdgeConfig) {
        let mut force = self.inner.force.lock().await;
        let address = config.endpoint;
        // What was kept was good once; if its keys are of another time, the platform sends the right ones.
        let tls = doors(&force, &config).unwrap_or_else(|error| {
            tracing::error!(%error, "no TokenReview until the next configuration");
            HashMap::new()
        });
        self.put_in_force(&mut force, config, tls).await;
        match bind(address) {
            Ok(listener) => self.listen(&mut force, listener),
            Err(error) => {
                let fault = Fault::from(error);
                tracing::error!(code = %fault.code, cause = %fault.cause, remedy = %fault.remedy, "no endpoint yet");
                force.endpoint_fault = Some(fault.to_string());
                tokio::spawn(self.clone().insist(address));
            }
        }
    }

    async fn insist(self, address: SocketAddr) {
        loop {
            tokio::time::sleep(ENDPOINT_RETRY).await;
            let mut force = self.inner.force.lock().await;
            if force.endpoint.is_some()
                || force
                    .config
                    .as_ref()
                    .is_none_or(|config| config.endpoint != address)
            {
                return;
            }
            if let Ok(listener) = bind(address) {
                return self.listen(&mut force, listener);
            }
        }
    }

    fn listen(&self, force: &mut Force, listener: TcpListener) {
        let Ok(address) = listener.local_addr() else {
            return;
        };
        let mut accepting = JoinSet::new();
        accepting.spawn(self.inner.router.clone().serve(listener));
        tracing::info!(%address, "the endpoint listens");
        force.endpoint = Some(Endpoint {
            address,
            _accepting: accepting,
        });
        force.endpoint_fault = None;
    }

    async fn put_in_force(&self, force: &mut Force, config: EdgeConfig, mut tls: Doors) {
        let Shared { images, desk, .. } = &self.inner.shared;
        // Before the doors open.
        desk.configure(config.identity.as_ref().map(|identity| &identity.snapshot));
        let used: HashSet<&str> = config
            .networks
            .iter()
            .flat_map(|network| network.clients.iter().map(|client| client.bundle.as_str()))
            .collect();
        images.configure(&config.bundle_cache, |digest| used.contains(digest));
        let mut kept = std::mem::take(&mut force.networks);
        let mut first_tries = Vec::new();
        for network in &config.networks {
            let tls = tls.remove(&network.id).flatten();
            let server = match kept.remove(&network.id).filter(|server| server.serves(network)) {
                Some(server) => {
                    server.update(network, tls);
                    server
                }
                None => NetworkServer::start(network, self.inner.shared.clone(), tls),
            };
            first_tries.push(server.listening());
            force.networks.insert(network.id.clone(), server);
        }
        drop(kept);
        let namespaces: HashMap<_, _> = config.networks.iter().map(|n| (&n.id, &n.namespace)).collect();
        let mut table: Table = config
            .routes
            .iter()
            .filter_map(|route| {
                let backend = Backend {
                    namespace: (*namespaces.get(&route.network)?).clone(),
                    address: route.backend,
                    network: force.networks.get(&route.network)?.alive(),
                };
                Some((
                    route.server_name.to_ascii_lowercase(),
                    Destination::Backend(backend),
                ))
            })
            .collect();
        // After the clusters: no name of theirs can stand before a tunnel.
        for network in &config.networks {
            if let Some(server) = force.networks.get(&network.id) {
                let gate = Gate::new(network, server.door().clone(), server.alive());
                table.insert(tunnel_name(&network.id), Destination::Tunnel(Arc::new(gate)));
            }
        }
        self.inner.router.replace(table);
        force.config = Some(config);
        let tried = async {
            for mut listening in first_tries {
                let _ = listening.wait_for(Option::is_some).await;
            }
        };
        let _ = timeout(FIRST_TRY, tried).await;
    }
}

/// The TLS of each network's TokenReview, as a configuration wants it.
type Doors = HashMap<NetworkId, Option<Arc<Tls>>>;

fn doors(force: &Force, config: &EdgeConfig) -> Result<Doors, Error> {
    let identity = config.identity.as_ref();
    let doors = config.networks.iter().map(|network| {
        let door = force.networks.get(&network.id).map(|server| &**server.door());
        let tls = Door::wanted(door, identity, network.serving.as_ref());
        let tls = tls.map_err(|source| Error::Certificates {
            network: network.id.clone(),
            source,
        })?;
        Ok((network.id.clone(), tls))
    });
    doors.collect()
}
