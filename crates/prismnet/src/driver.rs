//! The driver behind the `Network` port. Its work blocks (child processes, namespaces), so it is done on blocking threads.
//!
//! Guarantees: calls for one network run one after the other, in the order they came; a caller that goes away does not
//! stop what began. Assumption: one driver per instance on a host.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use ports::{
    Network,
    network::{NetworkDesired, NetworkObserved},
    scan::Found,
};
use tokio::sync::Mutex as AsyncMutex;
use types::{Fault, NetworkId, PortId, status::Observed};

use crate::{
    apply,
    error::Error,
    namespace::{Presence, inside, presence},
    options::Options,
    record::Records,
    remove, scan,
    view::View,
};

#[derive(Clone)]
pub struct NamespaceDriver {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub options: Options,
    pub records: Records,
    /// What networks share on the host: the table and the range of uplinks.
    pub host: Mutex<()>,
    networks: Mutex<HashMap<NetworkId, Arc<AsyncMutex<()>>>>,
}

impl NamespaceDriver {
    pub fn new(options: Options) -> Self {
        let records = Records::new(options.state.clone());
        Self {
            shared: Arc::new(Shared {
                options,
                records,
                host: Mutex::default(),
                networks: Mutex::default(),
            }),
        }
    }

    fn lock(&self, id: &NetworkId) -> Arc<AsyncMutex<()>> {
        let mut networks = self
            .shared
            .networks
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        // Locks that nobody holds or waits for are let go, so that the map does not grow with every network there was.
        networks.retain(|other, lock| other == id || Arc::strong_count(lock) > 1);
        networks.entry(id.clone()).or_default().clone()
    }

    /// Runs `work` on a blocking thread, alone for its network. The lock goes with the work.
    async fn alone<T: Send + 'static>(
        &self,
        id: &NetworkId,
        work: impl FnOnce(&Shared) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Fault> {
        let guard = self.lock(id).lock_owned().await;
        self.blocking(move |shared| {
            let _guard = guard;
            work(shared)
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Fault> {
        let shared = self.shared.clone();
        match tokio::task::spawn_blocking(move || work(&shared)).await {
            Ok(result) => result.map_err(Fault::from),
            Err(error) => Err(Fault::internal("network-driver-panicked", error.to_string())),
        }
    }
}

fn observe(shared: &Shared, id: &NetworkId) -> Result<Observed<NetworkObserved>, Error> {
    let instance = &shared.options.instance;
    let namespace = instance.namespace_path(id);
    if presence(&namespace)? != Presence::Mounted {
        return Ok(Observed::Absent);
    }
    let view = inside(&namespace, View::look)?;
    let aliases = view.links.values().filter_map(|link| link.ifalias.as_deref());
    let mut ports: Vec<PortId> = aliases
        .filter_map(|alias| instance.port_of_alias(alias))
        .collect();
    ports.sort();
    let generation = shared.records.generations(id)?.applied;
    Ok(Observed::Present(NetworkObserved {
        generation,
        namespace,
        ports,
    }))
}

#[async_trait]
impl Network for NamespaceDriver {
    async fn apply(&self, network: &NetworkDesired) -> Result<NetworkObserved, Fault> {
        let network = network.clone();
        self.alone(&network.id.clone(), move |shared| apply::apply(shared, &network))
            .await
    }

    async fn observe(&self, id: &NetworkId) -> Observed<NetworkObserved> {
        let id = id.clone();
        match self.blocking(move |shared| observe(shared, &id)).await {
            Ok(observed) => observed,
            Err(fault) => Observed::Unknown(fault.to_string()),
        }
    }

    async fn remove(&self, id: &NetworkId) -> Result<(), Fault> {
        let network = id.clone();
        self.alone(id, move |shared| remove::remove(shared, &network))
            .await
    }

    fn interface(&self, port: &PortId) -> String {
        self.shared.options.instance.port(port)
    }

    fn namespace(&self, id: &NetworkId) -> PathBuf {
        self.shared.options.instance.namespace_path(id)
    }

    fn mtu(&self) -> u32 {
        self.shared.options.mtu
    }

    async fn scan(&self) -> Result<Vec<Found>, Fault> {
        self.blocking(|shared| scan::scan(&shared.options.instance)).await
    }
}
