//! A platform in memory behind the real routes: for tests of the HTTP layer and of what talks to it.
//!
//! Names decide how an operation goes: `broken` fails, `stuck` never ends, every other one succeeds after its steps.

mod books;
mod clusters;
mod pki;
mod progress;
pub mod samples;
mod surface;

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Seek, Write},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use app::{Lists, Tenants, rotation::Rotator};
use ports::{
    Store,
    clock::SystemClock,
    fake::{FakeKeyring, FakeVault, MemoryStore},
};
use tokio::{net::TcpListener, sync::watch};
use types::{
    Fault, OperationId, Secret,
    cluster::Cluster,
    machine::Machine,
    network::Network,
    operation::{Event, Operation, OperationKind, Subject},
};

use workflow::Signals;

use crate::{
    Surface, audit,
    auth::TokenHash,
    backup::Backup,
    daemon,
    guard::Seats,
    limits::{Limits, Rate},
    metrics::Metrics,
    router::{Api, router},
    tls::{self, Bounds, Serving, Tls},
};

pub use pki::FakePki;

/// Enough for any test that does not try to be too much.
pub const RATE: Rate = Rate {
    burst: 2000.0,
    per_second: 200.0,
};
pub const PROJECT: &str = "default";
pub const TOKEN: &str = "test-token";

#[derive(Clone)]
pub struct Fake {
    world: Arc<Mutex<World>>,
    /// What tenants and lists are read from.
    pub books: Arc<dyn Store>,
    turn: Arc<tokio::sync::Mutex<()>>,
    /// For tests to look into, or to make unwritable.
    pub audit: audit::Log,
    keys: Arc<Rotator>,
    /// What it is served with over TLS.
    pub pki: Arc<FakePki>,
    /// What each principal may ask.
    pub rate: Rate,
    pub seats: Arc<Seats>,
}

impl Default for Fake {
    fn default() -> Self {
        let store = Arc::new(MemoryStore::new());
        let vault = Arc::new(FakeKeyring::with_key(1));
        Self {
            world: Arc::default(),
            pki: Arc::default(),
            rate: RATE,
            seats: Arc::default(),
            books: Arc::new(MemoryStore::new()),
            turn: Arc::default(),
            keys: Arc::new(Rotator::new(store.clone(), vault.clone())),
            audit: audit::Log {
                store,
                vault,
                clock: Arc::new(SystemClock::default()),
            },
        }
    }
}

#[derive(Default)]
struct World {
    made: u64,
    networks: Vec<Network>,
    clusters: Vec<Cluster>,
    machines: Vec<Machine>,
    events: Vec<Event>,
    images: BTreeMap<String, Vec<String>>,
    operations: Vec<watch::Sender<Operation>>,
}

impl Fake {
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an operation and lets it run its course.
    async fn begin(&self, kind: OperationKind, subject: Subject, name: &str) -> Operation {
        let (operation, sender) = {
            let mut world = self.world();
            let operation = samples::operation(world.next(), kind, subject, name);
            let (sender, _) = watch::channel(operation.clone());
            world.operations.push(sender.clone());
            (operation, sender)
        };
        self.write_books().await;
        tokio::spawn(progress::run(self.clone(), sender));
        operation
    }

    fn operation(&self, id: &OperationId) -> Result<watch::Sender<Operation>, Fault> {
        let world = self.world();
        let found = world.operations.iter().find(|sender| sender.borrow().id == *id);
        found
            .cloned()
            .ok_or_else(|| Fault::not_found("operation", id.as_str()))
    }

    /// With tenants and lists of what is in this store, which a test writes into.
    #[must_use]
    pub fn over(mut self, books: Arc<dyn Store>) -> Self {
        self.books = books;
        self
    }

    /// Serves on a free port of the loopback interface until the returned sender says stop.
    pub async fn serve(self, uploads: PathBuf) -> (String, watch::Sender<bool>) {
        self.serve_on(free_port().await, uploads).await
    }

    pub async fn serve_on(self, listener: TcpListener, uploads: PathBuf) -> (String, watch::Sender<bool>) {
        self.serve_both(listener, None, uploads).await
    }

    /// The same, and over TLS beside it; with what it shows there, to be exchanged.
    pub async fn serve_tls(
        self,
        uploads: PathBuf,
        bounds: Bounds,
    ) -> (String, Arc<Tls>, watch::Sender<bool>) {
        let secure = free_port().await;
        let port = secure.local_addr().expect("a bound socket has an address").port();
        let shown = self.pki.serving().expect("a certificate can be made");
        let tls = Arc::new(Tls {
            endpoint: format!("https://localhost:{port}"),
            serving: Arc::new(Serving::new(&shown).expect("and shown")),
            own: None,
        });
        let beside = Some((secure, tls.clone(), bounds));
        let (endpoint, stop) = self.serve_both(free_port().await, beside, uploads).await;
        (endpoint, tls, stop)
    }

    async fn serve_both(
        self,
        listener: TcpListener,
        beside: Option<(TcpListener, Arc<Tls>, Bounds)>,
        uploads: PathBuf,
    ) -> (String, watch::Sender<bool>) {
        let address = listener.local_addr().expect("a bound socket has an address");
        let (sender, stop) = watch::channel(false);
        let tenants = Tenants::new(
            self.books.clone(),
            Arc::new(SystemClock::default()),
            Arc::new(FakeVault::default()),
            Arc::new(Signals::default()),
            &format!("http://{address}"),
        );
        tenants.begin().await.expect("memory takes everything");
        let api = Api {
            tenants,
            logins: oidc::Logins::new(Vec::new(), Arc::new(SystemClock::default())),
            surface: Arc::new(self.clone()) as Arc<dyn Surface>,
            lists: Lists::new(self.books.clone()),
            token: Arc::new(TokenHash::of(&Secret::new(TOKEN))),
            limits: Arc::new(Limits::default()),
            seats: self.seats.clone(),
            rate: self.rate,
            audit: self.audit.clone(),
            keys: self.keys.clone(),
            backup: Arc::new(Sealing),
            metrics: Arc::new(Metrics::default()),
            uploads: Arc::new(uploads),
            instance: "test".into(),
            tls: beside.as_ref().map(|(_, tls, _)| tls.clone()),
            stop,
        };
        let keys = api.keys.clone();
        tokio::spawn(async move { keys.run().await });
        if let Some((secure, tls, bounds)) = beside {
            let (router, stop) = (router(api.clone()), api.stop.clone());
            tokio::spawn(async move { tls::serve(secure, tls.serving.clone(), router, bounds, stop).await });
        }
        tokio::spawn(daemon::serve(listener, api));
        (format!("http://{address}"), sender)
    }
}

async fn free_port() -> TcpListener {
    TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port")
}

/// A backup of nothing, sealed as a real one is.
struct Sealing;

#[async_trait::async_trait]
impl Backup for Sealing {
    async fn make(&self, passphrase: Secret) -> Result<File, Fault> {
        let failed = |error: std::io::Error| Fault::internal("fake-backup", error.to_string());
        let file = tempfile::tempfile().map_err(failed)?;
        let mut writer = vault::SealedWriter::new(file, &passphrase)?;
        writer.write_all(b"all of it").map_err(failed)?;
        let mut file = writer.finish()?;
        file.rewind().map_err(failed)?;
        Ok(file)
    }
}

impl World {
    /// Numbers things, so that what tests print is the same each time.
    fn next(&mut self) -> u64 {
        self.made += 1;
        self.made
    }
}
