//! A platform over a host that is only memory: it can be killed at any point and started again over the same world.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use app::{Ops, Publisher, Reconcilers, Settings, Tenants, World};
use cluster::recipe::Recipe;
use futures::FutureExt;
use ports::{
    Clock, Store,
    fake::{FakeImages, FakeVault, FakeWorld, ManualClock, MemoryStore},
};
use sha2::{Digest, Sha256};
use workflow::{Options, Point, Probe, Reached, Signals, Turn, Worker, WorkflowError};

pub const TTL_MS: u64 = 30_000;

pub struct Host {
    pub world: FakeWorld,
    pub store: MemoryStore,
    pub clock: ManualClock,
    images: FakeImages,
    /// What a release makes new clusters with.
    pub recipe: Recipe,
}

/// One life of the platform.
pub struct Life {
    pub ops: Ops,
    pub tenants: Tenants,
    pub publisher: tokio::sync::Mutex<Publisher>,
    worker: Worker,
    clock: ManualClock,
    store: MemoryStore,
}

/// Records every point, and dies at one of them, once.
#[derive(Default)]
pub struct Script {
    pub seen: Mutex<BTreeSet<(String, &'static str)>>,
    /// A step whose key begins with this, and the moment of it.
    pub die_at: Mutex<Option<(String, &'static str)>>,
}

impl Probe for Script {
    fn reached(&self, point: Point<'_>) -> Reached {
        let here = (point.step.to_owned(), point.moment.as_str());
        let mut die_at = self.die_at.lock().unwrap();
        let now = |(step, moment): &(String, &'static str)| here.0.starts_with(step) && here.1 == *moment;
        if die_at.as_ref().is_some_and(now) {
            *die_at = None;
            return Reached::Die;
        }
        self.seen.lock().unwrap().insert(here);
        Reached::GoOn
    }
}

impl Host {
    pub fn new() -> Self {
        let world = FakeWorld::new();
        world.hash_with(|bytes| Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect());
        Self {
            world,
            store: MemoryStore::new(),
            clock: ManualClock::at(1_800_000_000_000),
            images: FakeImages::default(),
            recipe: engine_hosted::recipe(),
        }
    }

    pub fn start(&self, probe: Arc<dyn Probe>) -> Life {
        let signals = Arc::new(Signals::default());
        let world = Arc::new(World {
            store: Arc::new(self.store.clone()),
            clock: Arc::new(self.clock.clone()),
            vault: Arc::new(FakeVault::default()),
            compute: Arc::new(self.world.compute()),
            network: Arc::new(self.world.network()),
            volumes: Arc::new(self.world.volumes()),
            edge: Arc::new(self.world.edge()),
            bundles: Arc::new(self.world.bundles()),
            images: Arc::new(self.images.clone()),
            api: Arc::new(self.world.cluster_api()),
            signals: signals.clone(),
            recipe: self.recipe.clone(),
            settings: Settings {
                issuer: "http://127.0.0.1:7400".to_owned(),
                api_names: None,
                endpoint: SocketAddr::from(([127, 0, 0, 1], 6443)),
                bundle_cache: "/fake/cache".into(),
                controllers: "/usr/lib/plasmacloud/cloud-controllers".into(),
                cpu_overcommit: 8.0,
                memory_overcommit: 1.5,
            },
        });
        let worker = Worker {
            store: world.store.clone(),
            clock: world.clock.clone(),
            signals,
            reconciler: Arc::new(Reconcilers::new(world.clone())),
            probe,
            options: Options {
                owner: "test".to_owned(),
                lease_ttl: Duration::from_millis(TTL_MS),
                parallel: 4,
                patience: 1.0,
            },
        };
        let tenants = Tenants::new(
            world.store.clone(),
            world.clock.clone(),
            world.vault.clone(),
            world.signals.clone(),
            &world.settings.issuer,
        );
        // Nothing in memory waits.
        let begun = tokio::task::unconstrained(tenants.begin())
            .now_or_never()
            .expect("at once");
        begun.expect("memory takes everything");
        Life {
            tenants,
            publisher: Publisher::new(world.clone()).into(),
            ops: Ops::new(world),
            worker,
            clock: self.clock.clone(),
            store: self.store.clone(),
        }
    }
}

impl Life {
    /// The network that clusters are made in.
    pub async fn lab(&self) {
        let (name, cidr) = ("lab".parse().unwrap(), "10.20.0.0/16".parse().unwrap());
        self.ops
            .create_network(&app::default_project(), name, cidr)
            .await
            .unwrap();
        self.settle().await.unwrap();
    }

    pub fn advance(&self, ms: u64) {
        self.clock.advance(ms);
    }

    /// Lets the platform work until nothing is due, for at most a few minutes of its own time.
    pub async fn settle(&self) -> Result<(), WorkflowError> {
        let deadline = self.clock.unix_ms() + 600_000;
        while self.clock.unix_ms() < deadline {
            match self.worker.turn().await? {
                Turn::Worked => {}
                Turn::Idle => {
                    let due = self.store.next_due_ms().await?;
                    let wait = due.map_or(i64::MAX, |due| due - self.clock.unix_ms());
                    // A settled subject is looked at again after ten seconds; sooner means it is still being worked on.
                    if wait > 8_000 {
                        return Ok(());
                    }
                    self.clock.advance(u64::try_from(wait.max(1)).unwrap());
                }
            }
        }
        panic!("the platform did not settle");
    }

    /// As after a power cut: the lease of the dead runs out.
    pub fn outlive_leases(&self) {
        self.clock.advance(TTL_MS + 1);
    }
}
