//! Taking away everything this platform made on the host, without asking its store: for `make down`, also when the
//! daemon, the database or the clusters are dead.

use std::collections::BTreeSet;

use ports::{Compute, Network, Volumes, scan::Found};
use types::{Fault, MachineId, NetworkId, VolumeId};

use crate::{
    config::Config,
    lock::Lock,
    state_dir::StateDir,
    wiring::{self, Host},
};

/// Rounds of looking and removing; what is still there then is told.
const ROUNDS: usize = 3;

/// Removes what a look at the host finds, then the state directory. Returns what stayed.
pub async fn run(config: &Config) -> Result<Vec<Found>, Fault> {
    if !config.state_dir.exists() {
        return Ok(Vec::new());
    }
    let state = StateDir::prepare(&config.state_dir)?;
    let lock = Lock::take(&state)?;
    let host = wiring::host(config, &state)?;
    let mut left = scan(&host).await?;
    for _ in 0..ROUNDS {
        if left.is_empty() {
            break;
        }
        remove(&host, &left).await;
        left = scan(&host).await?;
    }
    if left.is_empty() {
        if let Some(keys) = edge::keys_file(&state.edge()) {
            let _ = std::fs::remove_file(&keys);
            // The directory is every platform's of the host; the last one takes it along.
            let _ = keys.parent().map(std::fs::remove_dir);
        }
        std::fs::remove_dir_all(state.path()).map_err(|error| {
            Fault::unavailable(
                "state-dir-stays",
                format!("{} cannot be removed: {error}", state.path().display()),
                "remove it by hand",
            )
        })?;
    }
    drop(lock);
    Ok(left)
}

async fn scan(host: &Host) -> Result<Vec<Found>, Fault> {
    let mut found = host.compute.scan().await?;
    found.extend(host.network.scan().await?);
    found.extend(host.volumes.scan().await?);
    Ok(found)
}

/// Machines hold volumes and ports, so they go first.
async fn remove(host: &Host, found: &[Found]) {
    let owners: BTreeSet<&str> = found.iter().map(|f| f.owner.as_str()).collect();
    for id in owners.iter().filter_map(|owner| owner.parse::<MachineId>().ok()) {
        told(host.compute.remove(&id).await);
    }
    for id in owners.iter().filter_map(|owner| owner.parse::<NetworkId>().ok()) {
        told(host.network.remove(&id).await);
    }
    for id in owners.iter().filter_map(|owner| owner.parse::<VolumeId>().ok()) {
        told(host.volumes.remove(&id).await);
    }
}

fn told(result: Result<(), Fault>) {
    if let Err(fault) = result {
        tracing::warn!(%fault, "not removed");
    }
}
