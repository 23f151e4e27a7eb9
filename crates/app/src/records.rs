//! Reading and writing the platform's nouns.

use ports::{
    Store, Vault,
    store::{Entity, Filter, PLATFORM, StoreError, Versioned},
    vault::SecretRef,
};
use serde::{Deserialize, Serialize};
use types::{Fault, FaultKind, ProjectId, Secret, cluster::Cluster, share::ClusterShare};

/// The one document that every accepted change moves on: it serialises what must be decided one after the other
/// (capacity, links to the outside) and numbers what the edge is told.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ground {
    pub edge_generation: u64,
}

const GROUND: &str = "ground";

impl Entity for Ground {
    const KIND: &'static str = GROUND;
    fn id(&self) -> &str {
        GROUND
    }
    fn scope(&self) -> &str {
        PLATFORM
    }
    fn name(&self) -> Option<&str> {
        None
    }
    fn parent(&self) -> Option<&str> {
        None
    }
}

pub async fn ground(store: &dyn Store) -> Result<Versioned<Ground>, Fault> {
    let doc = store.get(GROUND, GROUND).await.map_err(fault)?;
    match doc {
        Some(doc) => doc.read().map_err(fault),
        None => Ok(Versioned {
            version: 0,
            value: Ground::default(),
        }),
    }
}

pub async fn get<T: Entity>(store: &dyn Store, id: &str) -> Result<Option<Versioned<T>>, Fault> {
    let doc = store.get(T::KIND, id).await.map_err(fault)?;
    doc.map(|doc| doc.read().map_err(fault)).transpose()
}

pub async fn list<T: Entity>(store: &dyn Store, filter: &Filter) -> Result<Vec<Versioned<T>>, Fault> {
    let docs = store.list(T::KIND, filter).await.map_err(fault)?;
    docs.into_iter().map(|doc| doc.read().map_err(fault)).collect()
}

pub async fn children<T: Entity>(store: &dyn Store, parent: &str) -> Result<Vec<Versioned<T>>, Fault> {
    list(store, &Filter::below(parent)).await
}

/// All of a project, an organisation or whatever else its kind is kept in.
pub async fn within<T: Entity>(store: &dyn Store, scope: &str) -> Result<Vec<Versioned<T>>, Fault> {
    list(store, &Filter::within(scope)).await
}

/// Names are unique in their scope.
pub async fn named<T: Entity>(
    store: &dyn Store,
    scope: &str,
    name: &str,
) -> Result<Option<Versioned<T>>, Fault> {
    Ok(list(store, &Filter::named(scope, name)).await?.into_iter().next())
}

/// By id, or by name in the project. What belongs to another project is not there.
pub async fn seek<T: Entity>(
    store: &dyn Store,
    project: &ProjectId,
    reference: &str,
) -> Result<Option<Versioned<T>>, Fault> {
    let by_id = get::<T>(store, reference).await?;
    match by_id.filter(|found| found.value.scope() == project.as_str()) {
        Some(found) => Ok(Some(found)),
        None => named(store, project.as_str(), reference).await,
    }
}

/// As [`seek`], of what has to be there.
pub async fn find<T: Entity>(
    store: &dyn Store,
    project: &ProjectId,
    reference: &str,
) -> Result<Versioned<T>, Fault> {
    let found = seek::<T>(store, project, reference).await?;
    found.ok_or_else(|| Fault::not_found(T::KIND, reference))
}

/// One of the project's own. What is only shared with it is somebody else's to change.
pub async fn find_own(
    store: &dyn Store,
    project: &ProjectId,
    reference: &str,
) -> Result<Versioned<Cluster>, Fault> {
    if let Some(own) = seek::<Cluster>(store, project, reference).await? {
        return Ok(own);
    }
    let Some(shared) = seek_shared(store, project, reference).await? else {
        return Err(Fault::not_found(Cluster::KIND, reference));
    };
    Err(Fault::new(
        FaultKind::Forbidden,
        "cluster-of-another",
        format!(
            "the cluster '{}' belongs to another project and is shared with this one",
            shared.name
        ),
        "ask the people of its own project; see whose it is with `cloud k8s list`",
    ))
}

/// One of the project's own, or one that is shared with it, which gives way where both have the name.
pub async fn find_seen(store: &dyn Store, project: &ProjectId, reference: &str) -> Result<Cluster, Fault> {
    let seen = match seek::<Cluster>(store, project, reference).await? {
        Some(own) => Some(own.value),
        None => seek_shared(store, project, reference).await?,
    };
    seen.ok_or_else(|| Fault::not_found(Cluster::KIND, reference))
}

async fn seek_shared(
    store: &dyn Store,
    project: &ProjectId,
    reference: &str,
) -> Result<Option<Cluster>, Fault> {
    for share in children::<ClusterShare>(store, project.as_str()).await? {
        let cluster = get::<Cluster>(store, share.value.cluster.as_str()).await?;
        let meant =
            |cluster: &Cluster| cluster.id.as_str() == reference || cluster.name.as_str() == reference;
        if let Some(cluster) = cluster.filter(|found| share.value.is_active() && meant(&found.value)) {
            return Ok(Some(cluster.value));
        }
    }
    Ok(None)
}

/// Opened, if it is there.
pub async fn secret(store: &dyn Store, vault: &dyn Vault, at: &SecretRef) -> Result<Option<Secret>, Fault> {
    let sealed = store.secret(at).await.map_err(fault)?;
    sealed.map(|sealed| vault.open(at, &sealed)).transpose()
}

/// What a store's error means to whoever asked.
pub fn fault(error: StoreError) -> Fault {
    let cause = error.to_string();
    match error {
        StoreError::NameTaken { .. } => Fault::conflict(
            "name-taken",
            cause,
            "choose another name, or delete the other first",
        ),
        StoreError::Stale { .. } => Fault::new(
            FaultKind::Unavailable,
            "changed-meanwhile",
            cause,
            "try again: the change was made against an older state",
        ),
        StoreError::Forgotten { .. } => Fault::new(
            FaultKind::Gone,
            "resume-expired",
            cause,
            "list again: a watch without a point to resume from begins with the present state",
        ),
        StoreError::Fenced { .. } => Fault::unavailable(
            "lease-lost",
            cause,
            "nothing: another worker has taken the task over",
        ),
        StoreError::Corrupt { .. } => Fault::new(
            FaultKind::Internal,
            "store-corrupt",
            cause,
            "stop the platform and put back the last good copy of its state",
        ),
        StoreError::Full => Fault::new(
            FaultKind::Exhausted,
            "store-full",
            cause,
            "free space on the disk that holds the state directory",
        ),
        StoreError::Failed { ref source, .. } => Fault::unavailable(
            "store-failed",
            format!("{cause}: {source}"),
            "see the platform's log; try again",
        ),
    }
}
