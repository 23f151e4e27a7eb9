//! The wiring of `cloudd`: the one place that knows which adapter serves which port.

use std::{sync::Arc, time::Duration};

use app::{Lists, Ops, Publisher, Reconcilers, Settings, Tenants, World, rotation::Rotator};
use bundle::Shelf;
use edge::EdgeClient;
use kubeapi::KubeApi;
use machines::{FileVolumes, NspawnDriver, NspawnOptions, Overcommit};
use ports::{Clock, Store, clock::SystemClock};
use prismnet::NamespaceDriver;
use store::SqliteStore;
use tokio::task::JoinSet;
use types::Fault;
use vault::{KeySource, KeyVault};
use workflow::{Options, Signals, Worker};

use crate::{
    Surface, audit,
    backup::{Backup, StateBackup},
    config::Config,
    instance,
    kill_probe::KillProbe,
    ops_surface::OpsSurface,
    recipe,
    router::Stop,
    state_dir::StateDir,
    tls::TlsSettings,
};

/// What runs behind the API.
pub struct Platform {
    pub surface: Arc<dyn Surface>,
    pub lists: Lists,
    pub tenants: Tenants,
    pub logins: oidc::Logins,
    pub audit: audit::Log,
    pub keys: Arc<Rotator>,
    pub backup: Arc<dyn Backup>,
    /// Workers and reconcilers; each ends by itself soon after `stop` turns true.
    pub background: JoinSet<()>,
}

/// What acts on the host, without anything that is stored.
pub struct Host {
    pub compute: Arc<NspawnDriver>,
    pub network: Arc<NamespaceDriver>,
    pub volumes: Arc<FileVolumes>,
}

const LEASE: Duration = Duration::from_secs(15);
const PARALLEL_SUBJECTS: usize = 16;
const EVENTS_KEPT_S: i64 = 14 * 86_400;
const TRIM_EVERY: Duration = Duration::from_secs(3600);
/// Of each project: some tens of clusters made, or days of a quiet one.
const CHANGES_KEPT: u32 = 5_000;
const TRIM_CHANGES_EVERY: Duration = Duration::from_secs(60);

pub fn host(config: &Config, state: &StateDir) -> Result<Host, Fault> {
    let mark = instance::mark(state)?;
    let keeper = instance::machine_binary("cloud-keeper")?;
    let bad = |error: String| {
        Fault::invalid(
            "instance-mark",
            error,
            "remove the file 'instance' from the state directory",
        )
    };
    let overcommit = Overcommit {
        cpu: config.cpu_overcommit,
        ..Overcommit::default()
    };
    let machines =
        NspawnOptions::new(&mark, state.path(), &keeper, overcommit).map_err(|e| bad(e.to_string()))?;
    let marked = mark
        .parse()
        .map_err(|e: prismnet::InstanceError| bad(e.to_string()))?;
    Ok(Host {
        compute: Arc::new(NspawnDriver::new(machines)?),
        network: Arc::new(NamespaceDriver::new(prismnet::Options::new(
            marked,
            state.networks(),
        ))),
        volumes: Arc::new(FileVolumes::new(state.path())),
    })
}

/// Called once, with the state directory prepared and locked and the API's address bound, but nothing served yet.
pub async fn build(
    config: &Config,
    state: &StateDir,
    master_key: KeySource,
    stop: Stop,
) -> Result<Platform, Fault> {
    let Host {
        compute,
        network,
        volumes,
    } = host(config, state)?;
    let store = SqliteStore::open(state.database())
        .await
        .map_err(app::records::fault)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let backup = Arc::new(StateBackup {
        state: state.clone(),
        store: store.clone(),
        clock: clock.clone(),
    });
    let store: Arc<dyn Store> = Arc::new(store);
    let sealed_before = store.secrets(None, 1).await.map_err(app::records::fault)?;
    let vault = Arc::new(KeyVault::open(master_key, !sealed_before.is_empty()).await?);
    let keys = Arc::new(Rotator::new(store.clone(), vault.clone()));
    keys.check().await?;
    let shelf = Arc::new(Shelf::open(&config.cache_dir, &state.images())?);
    let signals = Arc::new(Signals::default());
    let world = Arc::new(World {
        store,
        clock,
        vault,
        compute,
        network,
        volumes,
        edge: Arc::new(EdgeClient::new(state.edge_socket())),
        bundles: shelf.clone(),
        images: shelf,
        api: Arc::new(KubeApi::new()),
        signals: signals.clone(),
        recipe: recipe::load(config.recipe_dir.as_deref())?,
        settings: Settings {
            issuer: config.public_url.clone(),
            api_names: config.tls.as_ref().and_then(TlsSettings::api_names),
            endpoint: config.endpoint,
            bundle_cache: config.cache_dir.clone(),
            controllers: instance::machine_binary("cloud-controllers")?,
            cpu_overcommit: config.cpu_overcommit,
            memory_overcommit: config.memory_overcommit,
        },
    });
    // The state directory is locked: whoever worked on it before us is dead.
    let owner = format!("cloudd-{}", instance::mark(state)?);
    let ended = world.store.end_leases(&owner, world.clock.unix_ms()).await;
    ended.map_err(app::records::fault)?;
    let worker = Worker {
        store: world.store.clone(),
        clock: world.clock.clone(),
        signals,
        reconciler: Arc::new(Reconcilers::new(world.clone())),
        probe: KillProbe::from_environment(),
        options: Options {
            owner,
            lease_ttl: LEASE,
            parallel: PARALLEL_SUBJECTS,
            patience: config.patience,
        },
    };
    let mut background = JoinSet::new();
    background.spawn(worker.run(stopped(stop.clone())));
    background.spawn(Publisher::new(world.clone()).run(stopped(stop.clone())));
    background.spawn(rotate_keys(keys.clone(), stop.clone()));
    background.spawn(trim(world.store.clone(), world.clock.clone(), stop.clone()));
    background.spawn(trim_changes(world.store.clone(), stop));
    let audit = audit::Log {
        store: world.store.clone(),
        vault: world.vault.clone(),
        clock: world.clock.clone(),
    };
    let tenants = Tenants::new(
        world.store.clone(),
        world.clock.clone(),
        world.vault.clone(),
        world.signals.clone(),
        &world.settings.issuer,
    )
    .with_grace(config.share_grace_seconds)
    .with_doors(config.login.doors.clone());
    let logins = oidc::Logins::new(config.login.providers.clone(), world.clock.clone());
    tenants.begin().await?;
    Ok(Platform {
        audit,
        keys,
        backup,
        tenants,
        logins,
        lists: Lists::new(world.store.clone()),
        surface: Arc::new(OpsSurface(Ops::new(world))),
        background,
    })
}

async fn stopped(mut stop: Stop) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Goes on with what an earlier life began.
async fn rotate_keys(keys: Arc<Rotator>, stop: Stop) {
    tokio::select! {
        () = keys.run() => {}
        () = stopped(stop) => {}
    }
}

/// Events are kept for two weeks, keys of calls for a day.
async fn trim(store: Arc<dyn Store>, clock: Arc<dyn ports::Clock>, stop: Stop) {
    let trimming = async {
        loop {
            if let Err(error) = store.trim_events(clock.now().plus(-EVENTS_KEPT_S)).await {
                tracing::warn!(%error, "old events could not be removed");
            }
            if let Err(error) = app::terms::trim(&*store, clock.now()).await {
                tracing::warn!(%error, "old idempotency keys could not be removed");
            }
            tokio::time::sleep(TRIM_EVERY).await;
        }
    };
    tokio::select! {
        () = trimming => {}
        () = stopped(stop) => {}
    }
}

/// Whoever watches can take up again where they were as long as the log reaches back to it.
async fn trim_changes(store: Arc<dyn Store>, stop: Stop) {
    let trim = async {
        loop {
            if let Err(error) = store.trim_changes(CHANGES_KEPT).await {
                tracing::warn!(%error, "old changes could not be removed");
            }
            tokio::time::sleep(TRIM_CHANGES_EVERY).await;
        }
    };
    tokio::select! {
        () = trim => {}
        () = stopped(stop) => {}
    }
}
