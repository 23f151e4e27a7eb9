//! Everything that decides about a token, read from the books.

use std::collections::{BTreeMap, BTreeSet};

use iam::review::{Reach, Snapshot};
use ports::store::{Entity, Filter};
use types::{
    ClusterId, Fault, OrgId, ProjectId,
    cluster::Cluster,
    grant::{ClusterGrant, Granted},
    share::ClusterShare,
    tenant::{IssuedToken, Project, ServiceAccount, User},
};

use super::keys::key_set;
use crate::{World, records};

pub(crate) async fn snapshot(
    world: &World,
    generation: u64,
    clusters: &[&Cluster],
) -> Result<Snapshot, Fault> {
    let users = all::<User>(world).await?;
    let accounts = all::<ServiceAccount>(world).await?;
    let projects = all::<Project>(world).await?;
    let tokens = all::<IssuedToken>(world).await?;
    let now = world.clock.now();
    let since = users
        .iter()
        .map(|user| (user.id.to_string(), user.not_before))
        .chain(accounts.iter().map(|sa| (sa.id.to_string(), sa.not_before)));
    let not_before: BTreeMap<_, _> = since.collect();
    let orgs: BTreeMap<&ProjectId, &OrgId> = projects.iter().map(|p| (&p.id, &p.org)).collect();
    let mut org_projects: BTreeMap<OrgId, BTreeSet<ProjectId>> = BTreeMap::new();
    for (project, org) in &orgs {
        org_projects
            .entry((*org).clone())
            .or_default()
            .insert((*project).clone());
    }
    let mut granted: BTreeMap<ClusterId, BTreeMap<String, BTreeSet<Granted>>> = BTreeMap::new();
    for grant in all::<ClusterGrant>(world).await? {
        let here = granted.entry(grant.cluster).or_default();
        here.entry(grant.principal).or_default().insert(grant.granted);
    }
    let mut shared: BTreeMap<ClusterId, BTreeSet<ProjectId>> = BTreeMap::new();
    for share in all::<ClusterShare>(world).await? {
        if share.is_active() {
            shared.entry(share.cluster).or_default().insert(share.with.id);
        }
    }
    let reach = clusters.iter().filter_map(|cluster| {
        let reach = Reach {
            network: cluster.network.clone(),
            // A project that is gone reaches nothing.
            org: (*orgs.get(&cluster.project)?).clone(),
            projects: {
                let mut projects = shared.get(&cluster.id).cloned().unwrap_or_default();
                projects.insert(cluster.project.clone());
                projects
            },
            grants: granted.get(&cluster.id).cloned().unwrap_or_default(),
        };
        Some((cluster.id.clone(), reach))
    });
    Ok(Snapshot {
        generation,
        issuer: world.settings.issuer.clone(),
        keys: key_set(world).await?,
        revoked: tokens
            .iter()
            .filter(|token| token.revoked && token.expires > now)
            .map(|token| (token.id.clone(), token.expires))
            .collect(),
        principals: not_before.keys().cloned().collect(),
        not_before: not_before.into_iter().filter(|(_, from)| from.0 > 0).collect(),
        clusters: reach.collect(),
        org_projects,
    })
}

async fn all<T: Entity>(world: &World) -> Result<Vec<T>, Fault> {
    let all = records::list::<T>(&*world.store, &Filter::default()).await?;
    Ok(all.into_iter().map(|found| found.value).collect())
}
