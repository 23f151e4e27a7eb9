//! Moving a rotation on, one look at a time: what was seen is sealed with the authorities, so a life that ends in between
//! costs nothing but the look.
//!
//! What the platform goes by, and why that is enough:
//! - The edge has whatever was published before the look.
//! - A control plane that does not run is laid its files before it starts, so it holds nobody up.
//! - A kube-apiserver from v1.36 on reads the roots' file again at a question that comes five minutes after the last
//!   reading. One that the edge saw asking five minutes after its files were laid goes by the new roots. Older ones read
//!   them when they start; the signature of the old root leads them over until then, so they are not waited for.
//! - Its own certificate every release reads again within five minutes, and closes what was opened with the old one. The
//!   edge sees which one is shown.

use std::collections::{BTreeMap, BTreeSet};

use iam::pki::{Level, PlatformPki, Rotation, Stage, serial_of};
use ports::{edge::Visits, store::Filter};
use types::{ClusterId, Fault, Line, Secret, Timestamp, cluster::Cluster};

use super::{authorities, broken, client};
use crate::{
    World,
    desired::target,
    recipes,
    reconcile::{PlaneFiles, plane_files},
    records,
};

/// After how long at the latest a kube-apiserver reads the roots again, and a little more.
const READ_AGAIN_S: i64 = 305;
/// The first release that reads them at all while it runs.
const READS_ROOTS_SINCE: Line = Line { major: 1, minor: 36 };

/// Begins one, or joins the one that runs if it is of this level.
pub(crate) async fn begin(world: &World, level: Level, force: bool) -> Result<PlatformPki, Fault> {
    let now = world.clock.now();
    authorities::change(world, move |pki| {
        if let Some(running) = pki.rotation_mut() {
            // A new root takes its authorities along.
            if running.level != level && level == Level::Root {
                return Err(Fault::conflict(
                    "rotation-running",
                    format!("the authority of {} is being replaced", running.level.as_str()),
                    "wait until `cloud admin certs` shows that it is done, then begin the other",
                ));
            }
            let changed = force && !running.forced;
            running.forced |= force;
            return Ok(changed);
        }
        if force {
            return Err(Fault::refused(
                "rotation-not-running",
                "nothing is being replaced that could be forced on",
                "begin without --force; force is for one that waits for a cluster",
            ));
        }
        pki.begin(level, now).map_err(broken)
    })
    .await
}

/// What was seen of one stage.
#[derive(Default)]
struct Seen {
    laid: BTreeMap<ClusterId, Timestamp>,
    confirmed: BTreeSet<ClusterId>,
    waiting_for: Vec<String>,
}

/// `pki` is what the edge has.
pub(super) async fn turn(world: &World, pki: &PlatformPki) -> Result<(), Fault> {
    let Some(rotation) = pki.rotation() else {
        return Ok(());
    };
    let seen = match (rotation.stage, rotation.level) {
        // Who checks clients is the edge, and it has both.
        (Stage::Trust, Level::Services) => Seen::default(),
        (Stage::Trust, Level::Root) => trusted(world, rotation).await?,
        (Stage::Replace, _) => replaced(world, pki, rotation).await?,
        (Stage::Retire, _) => retired(world, rotation).await?,
    };
    let over = seen.waiting_for.is_empty() || rotation.forced;
    let (now, of) = (world.clock.now(), (rotation.began, rotation.stage));
    if over {
        tracing::info!(
            level = rotation.level.as_str(),
            stage = rotation.stage.as_str(),
            "a stage of a rotation is over"
        );
    }
    authorities::change(world, |pki| {
        let Some(rotation) = pki.rotation_mut().filter(|now| (now.began, now.stage) == of) else {
            return Ok(false);
        };
        if over {
            pki.advance(now).map_err(broken)?;
            return Ok(true);
        }
        let before = rotation.clone();
        rotation.laid.clone_from(&seen.laid);
        rotation.confirmed.clone_from(&seen.confirmed);
        rotation.waiting_for.clone_from(&seen.waiting_for);
        Ok(*rotation != before)
    })
    .await?;
    Ok(())
}

/// Whether every cluster goes by the new root.
async fn trusted(world: &World, rotation: &Rotation) -> Result<Seen, Fault> {
    let now = world.clock.now();
    let mut seen = Seen::default();
    for cluster in asking(world).await? {
        let (id, name) = (&cluster.id, &cluster.name);
        match plane_files(world, id.as_str()).await? {
            PlaneFiles::Off => continue,
            PlaneFiles::Behind => {
                let reason = format!("cluster {name}: its control plane has not got the new root yet");
                seen.waiting_for.push(reason);
                continue;
            }
            PlaneFiles::Current => {}
        }
        let since = rotation.laid.get(id).copied().unwrap_or(now);
        seen.laid.insert(id.clone(), since);
        let reads = cluster.pins.version.line >= READS_ROOTS_SINCE;
        if rotation.confirmed.contains(id) || !reads {
            seen.confirmed.insert(id.clone());
        } else if now < since.plus(READ_AGAIN_S) {
            // The same words at every look: what is sealed changes only when something did.
            seen.waiting_for.push(format!(
                "cluster {name}: it has the new root, and its apiserver reads it within five minutes"
            ));
        } else {
            let before = visits(world, id).await?.questions;
            let asked = ask(world, &cluster).await?;
            if asked && visits(world, id).await?.questions > before {
                seen.confirmed.insert(id.clone());
            } else {
                let reason = format!("cluster {name}: its apiserver does not ask the platform about tokens");
                seen.waiting_for.push(reason);
            }
        }
    }
    Ok(seen)
}

/// Whether nobody shows a certificate of the authority before.
async fn replaced(world: &World, pki: &PlatformPki, rotation: &Rotation) -> Result<Seen, Fault> {
    let mut seen = Seen {
        laid: rotation.laid.clone(),
        confirmed: rotation.confirmed.clone(),
        waiting_for: Vec::new(),
    };
    for cluster in asking(world).await? {
        let name = &cluster.name;
        let files = plane_files(world, cluster.id.as_str()).await?;
        let leaf = client(world, &cluster.id).await?;
        let own = leaf.filter(|leaf| pki.signed(&leaf.cert_pem));
        let (PlaneFiles::Current, Some(own)) = (files, own) else {
            if files != PlaneFiles::Off {
                let reason = format!("cluster {name}: its control plane has not got its new certificate yet");
                seen.waiting_for.push(reason);
            }
            continue;
        };
        let serial = serial_of(&own.cert_pem).map_err(broken)?;
        let shows =
            |visits: &Visits| visits.latest == serial && visits.open.iter().all(|open| *open == serial);
        if shows(&visits(world, &cluster.id).await?) {
            continue;
        }
        ask(world, &cluster).await?;
        if !shows(&visits(world, &cluster.id).await?) {
            seen.waiting_for.push(format!(
                "cluster {name}: its apiserver has its new certificate and does not show it yet; it looks every five minutes"
            ));
        }
    }
    Ok(seen)
}

/// Whether no control plane has the old authority in its files.
async fn retired(world: &World, rotation: &Rotation) -> Result<Seen, Fault> {
    let mut seen = Seen {
        laid: rotation.laid.clone(),
        confirmed: rotation.confirmed.clone(),
        waiting_for: Vec::new(),
    };
    for cluster in asking(world).await? {
        if plane_files(world, cluster.id.as_str()).await? == PlaneFiles::Behind {
            let name = &cluster.name;
            let reason = format!("cluster {name}: its control plane has the old authority in its files yet");
            seen.waiting_for.push(reason);
        }
    }
    Ok(seen)
}

/// Clusters that ask the platform about tokens.
async fn asking(world: &World) -> Result<Vec<Cluster>, Fault> {
    let all = records::list::<Cluster>(&*world.store, &Filter::default()).await?;
    let mut asking = Vec::new();
    for cluster in all.into_iter().map(|found| found.value).filter(|c| !c.deleting) {
        let recipe = recipes::pinned(world, &cluster.pins.recipe).await?;
        if engine_hosted::asks_the_platform(&recipe) {
            asking.push(cluster);
        }
    }
    Ok(asking)
}

async fn visits(world: &World, cluster: &ClusterId) -> Result<Visits, Fault> {
    Ok(world.edge.visits().await?.remove(cluster).unwrap_or_default())
}

/// Has a cluster ask about a token that nobody remembers an answer to. Whether it answered.
async fn ask(world: &World, cluster: &Cluster) -> Result<bool, Fault> {
    let Some(material) = target::cluster_material(world, &cluster.id).await? else {
        return Ok(false);
    };
    let mut random = [0u8; 16];
    getrandom::fill(&mut random).map_err(|e| Fault::internal("random", format!("no random bytes: {e}")))?;
    let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let target = target::api_target(world, cluster, &material);
    let asked = world
        .api
        .knows(&target, &Secret::new(format!("nobody-{token}")))
        .await;
    if let Err(fault) = &asked {
        tracing::debug!(cluster = %cluster.name, %fault, "a cluster could not be asked about a token");
    }
    Ok(asked.is_ok())
}
