//! The nspawn driver: a machine is a system container with its own user ids, cgroups, disk and network.
//!
//! Guarantees: `apply` may be killed anywhere and run again; a machine that runs is adopted, never started twice and
//! never rebooted; nothing is found by name alone. Assumes one driver for an instance's state directory. Work on one
//! machine is done one thing at a time, on different machines at once, and never on the runtime's own threads.

mod apply;
mod arguments;
mod capacity;
mod console;
mod lay;
mod layout;
mod leader;
mod members;
mod nic;
mod ranges;
mod record;
mod root;
mod scan;
mod start;
mod stop;

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use ports::{
    Compute,
    compute::{HostCapacity, MachineDesired, MachineObserved},
    scan::Found,
};
use types::{Fault, MachineId, machine::Power, status::Observed};

use crate::{
    cgroup::Cgroups,
    error::{Context, MachineError, Result},
    options::NspawnOptions,
};
use layout::MachineDir;
use ranges::Ranges;
use record::Laid;

/// A cheap handle; clones share the locks.
#[derive(Clone)]
pub struct NspawnDriver {
    inner: Arc<Inner>,
}

struct Inner {
    options: NspawnOptions,
    cgroups: Cgroups,
    ranges: Ranges,
    locks: Mutex<HashMap<MachineId, Arc<Mutex<()>>>>,
}

impl NspawnDriver {
    pub fn new(options: NspawnOptions) -> std::result::Result<Self, Fault> {
        if !rustix::process::geteuid().is_root() {
            return Err(MachineError::NotRoot.into());
        }
        crate::host::limits::raise();
        let cgroups = Cgroups::detect(options.instance())?;
        let ranges = Ranges::new(options.instance());
        Ok(Self {
            inner: Arc::new(Inner {
                options,
                cgroups,
                ranges,
                locks: Mutex::default(),
            }),
        })
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T> + Send + 'static,
    ) -> std::result::Result<T, Fault> {
        let inner = self.inner.clone();
        off_the_runtime(move || work(&inner)).await
    }
}

/// Blocking work on a thread that may block.
pub async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> std::result::Result<T, Fault> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result.map_err(Fault::from),
        Err(error) => Err(Fault::internal("machine-task-failed", error.to_string())),
    }
}

impl Inner {
    fn place(&self, id: &MachineId) -> MachineDir {
        MachineDir::new(self.options.state(), self.options.instance(), id)
    }

    fn lock_of(&self, id: &MachineId) -> Arc<Mutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.entry(id.clone()).or_default().clone()
    }

    fn observe(&self, id: &MachineId) -> Result<Option<MachineObserved>> {
        let place = self.place(id);
        let leader = leader::find(&place, &self.cgroups)?;
        if leader.is_none() && !place.dir.try_exists().doing("look at", &place.dir)? {
            return Ok(None);
        }
        console::cut(&place);
        let laid: Laid = record::read(&place.laid()).unwrap_or_default();
        Ok(Some(MachineObserved {
            power: if leader.is_some() { Power::On } else { Power::Off },
            leader,
            config_digest: laid.digest,
            attached: leader.is_some_and(nic::is_attached),
        }))
    }

    fn remove(&self, id: &MachineId) -> Result<()> {
        let place = self.place(id);
        stop::clear(&place, &self.cgroups, &self.ranges)?;
        match std::fs::remove_dir_all(&place.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other.doing("remove", &place.dir)?,
        }
        // Only if it was the last one.
        let _ = std::fs::remove_dir(layout::machines(self.options.state()));
        Ok(())
    }
}

#[async_trait]
impl Compute for NspawnDriver {
    async fn apply(&self, machine: &MachineDesired) -> std::result::Result<MachineObserved, Fault> {
        let machine = machine.clone();
        self.with(move |inner| {
            let lock = inner.lock_of(&machine.id);
            let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
            inner.apply(&machine)
        })
        .await
    }

    async fn observe(&self, id: &MachineId) -> Observed<MachineObserved> {
        let id = id.clone();
        match self.with(move |inner| inner.observe(&id)).await {
            Ok(Some(observed)) => Observed::Present(observed),
            Ok(None) => Observed::Absent,
            Err(fault) => Observed::Unknown(fault.cause),
        }
    }

    async fn remove(&self, id: &MachineId) -> std::result::Result<(), Fault> {
        let id = id.clone();
        self.with(move |inner| {
            let lock = inner.lock_of(&id);
            let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
            inner.remove(&id)
        })
        .await
    }

    async fn capacity(&self) -> std::result::Result<HostCapacity, Fault> {
        self.with(|inner| capacity::capacity(inner.options.state(), inner.options.overcommit()))
            .await
    }

    async fn console(&self, id: &MachineId, lines: usize) -> std::result::Result<String, Fault> {
        let id = id.clone();
        self.with(move |inner| Ok(console::tail(&inner.place(&id), lines)))
            .await
    }

    async fn scan(&self) -> std::result::Result<Vec<Found>, Fault> {
        self.with(|inner| {
            scan::scan(
                inner.options.state(),
                inner.options.instance(),
                &inner.cgroups,
                &inner.ranges,
            )
        })
        .await
    }
}
