//! Clusters that several projects of an organisation use: share, end that, and whose they are.
//!
//! Who has an administrator's kubeconfig of a cluster has what is in every namespace of it, so sharing one is the
//! organisation's to decide, and from then on such a kubeconfig and grants are too.

use ports::{
    Store,
    store::{Doc, Versioned, Write},
};
use types::{
    Fault, FaultKind, Principal, ProjectId, ShareId, cluster::Cluster, grant::ClusterGrant, machine::Machine,
    share::ClusterShare, tenancy::project_namespace, tenant::Project,
};

use super::Tenants;
use crate::{books::Decision, records};

/// A cluster of another project, and whose it is.
#[derive(Debug, Clone)]
pub struct SharedCluster {
    pub cluster: Cluster,
    pub owner: Project,
}

impl Tenants {
    /// The same twice is once; within its grace an ended one is taken back as it is.
    pub async fn share(
        &self,
        caller: &Principal,
        project: &ProjectId,
        reference: &str,
        with: &str,
    ) -> Result<ClusterShare, Fault> {
        let id = &ShareId::generate();
        self.accept(move || {
            Box::pin(async move {
                let store = &*self.store;
                let cluster = records::find::<Cluster>(store, project, reference).await?.value;
                let owner = self.project(project).await?;
                let with = self.enter(caller, with).await?.project;
                refuse_unfit(&cluster, &owner, &with)?;
                let shares = of_cluster(store, &cluster).await?;
                let known = shares.iter().find(|share| share.value.with.id == with.id);
                if let Some(known) = known.filter(|share| share.value.is_active()) {
                    return Ok(Decision::Answer(known.value.clone()));
                }
                if !shares.iter().any(|share| share.value.is_active()) {
                    refuse_grants(store, &cluster).await?;
                }
                let version = known.map_or(0, |known| known.version);
                let share = ClusterShare {
                    id: known.map_or_else(|| id.clone(), |known| known.value.id.clone()),
                    cluster: cluster.id.clone(),
                    with,
                    by: caller.name.clone(),
                    created: self.clock.now(),
                    remove_after: None,
                };
                Ok(Decision::Write {
                    writes: vec![Write::Put(Doc::new(&share, version)), self.look_at(&cluster)],
                    answer: share,
                })
            })
        })
        .await
    }

    /// Its people are out at once; what is in its namespace stays for its grace.
    pub async fn unshare(
        &self,
        project: &ProjectId,
        reference: &str,
        with: &str,
    ) -> Result<ClusterShare, Fault> {
        self.accept(move || {
            Box::pin(async move {
                let store = &*self.store;
                let cluster = records::find::<Cluster>(store, project, reference).await?.value;
                let mut shares = of_cluster(store, &cluster).await?;
                // A project that was deleted may have had the name before.
                shares.sort_by_key(|share| !share.value.is_active());
                let found = shares.into_iter().find(|share| {
                    let known = &share.value.with;
                    known.id.as_str() == with || known.name.as_str() == with
                });
                let mut share = found.ok_or_else(|| {
                    Fault::new(
                        FaultKind::NotFound,
                        "share-not-found",
                        format!(
                            "the cluster '{}' is not shared with a project '{with}'",
                            cluster.name
                        ),
                        "see with whom it is with `cloud k8s get`",
                    )
                })?;
                if !share.value.is_active() {
                    return Ok(Decision::Answer(share.value));
                }
                share.value.remove_after = Some(self.clock.now().plus(self.grace_s));
                Ok(Decision::Write {
                    writes: vec![
                        Write::Put(Doc::new(&share.value, share.version)),
                        self.look_at(&cluster),
                    ],
                    answer: share.value,
                })
            })
        })
        .await
    }

    /// Those that are, and those whose namespaces have some time left.
    pub async fn list_shares(
        &self,
        project: &ProjectId,
        reference: &str,
    ) -> Result<Vec<ClusterShare>, Fault> {
        let cluster = records::find::<Cluster>(&*self.store, project, reference).await?;
        self.standing(&cluster.value).await
    }

    async fn standing(&self, cluster: &Cluster) -> Result<Vec<ClusterShare>, Fault> {
        let now = self.clock.now();
        let shares = of_cluster(&*self.store, cluster).await?;
        let shares = shares.into_iter().map(|share| share.value);
        Ok(shares.filter(|share| share.has_a_stake(now)).collect())
    }

    /// Whether others than its own project have something in a cluster. One that is not there is nobody's.
    pub async fn is_shared(&self, project: &ProjectId, reference: &str) -> Result<bool, Fault> {
        match records::seek::<Cluster>(&*self.store, project, reference).await? {
            Some(cluster) => Ok(!self.standing(&cluster.value).await?.is_empty()),
            None => Ok(false),
        }
    }

    /// The same of the cluster that an instance is of.
    pub async fn is_instance_shared(&self, project: &ProjectId, reference: &str) -> Result<bool, Fault> {
        // Names of instances are unique in their cluster only.
        for machine in records::within::<Machine>(&*self.store, project.as_str()).await? {
            let Machine {
                id,
                hostname,
                cluster,
                ..
            } = machine.value;
            let meant = id.as_str() == reference || hostname == reference;
            if meant && self.is_shared(project, cluster.as_str()).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Clusters of other projects that this one may use.
    pub async fn clusters_shared_with(&self, project: &ProjectId) -> Result<Vec<SharedCluster>, Fault> {
        let store = &*self.store;
        let mut all = Vec::new();
        for share in records::children::<ClusterShare>(store, project.as_str()).await? {
            let cluster = records::get::<Cluster>(store, share.value.cluster.as_str()).await?;
            if let Some(cluster) = cluster.filter(|_| share.value.is_active()) {
                let owner = self.project(&cluster.value.project).await?;
                all.push(SharedCluster {
                    cluster: cluster.value,
                    owner,
                });
            }
        }
        all.sort_by(|a, b| (&a.cluster.name, &a.cluster.id).cmp(&(&b.cluster.name, &b.cluster.id)));
        Ok(all)
    }

    /// A project ends: its namespaces elsewhere have their time.
    pub(super) async fn end_shares(&self, project: &Project) -> Result<Vec<Write>, Fault> {
        let store = &*self.store;
        let mut writes = Vec::new();
        for mut share in records::children::<ClusterShare>(store, project.id.as_str()).await? {
            let Some(cluster) = records::get::<Cluster>(store, share.value.cluster.as_str()).await? else {
                continue;
            };
            if share.value.is_active() {
                share.value.remove_after = Some(self.clock.now().plus(self.grace_s));
            }
            share.value.with = project.clone();
            writes.push(Write::Put(Doc::new(&share.value, share.version)));
            writes.push(self.look_at(&cluster.value));
        }
        Ok(writes)
    }

    /// Whoever has namespaces of the project is to look at what changed.
    pub(super) async fn look_at_all(&self, project: &ProjectId) -> Result<Vec<Write>, Fault> {
        let own = records::within::<Cluster>(&*self.store, project.as_str()).await?;
        let mut writes: Vec<Write> = own.iter().map(|cluster| self.look_at(&cluster.value)).collect();
        for shared in self.clusters_shared_with(project).await? {
            writes.push(self.look_at(&shared.cluster));
        }
        Ok(writes)
    }
}

fn refuse_unfit(cluster: &Cluster, owner: &Project, with: &Project) -> Result<(), Fault> {
    if cluster.deleting {
        return Err(Fault::conflict(
            "cluster-deleting",
            format!("the cluster '{}' is being deleted", cluster.name),
            "make another",
        ));
    }
    if with.id == owner.id {
        return Err(Fault::conflict(
            "share-own",
            format!("the cluster '{}' is that project's own", cluster.name),
            "name another project of the organisation",
        ));
    }
    if with.org != owner.org {
        return Err(Fault::refused(
            "share-foreign",
            format!("the project '{}' is of another organisation", with.name),
            "share a cluster within its organisation; make one for the other",
        ));
    }
    Ok(())
}

/// They were given by administrators of one project, over what was theirs alone.
async fn refuse_grants(store: &dyn Store, cluster: &Cluster) -> Result<(), Fault> {
    let grants = records::within::<ClusterGrant>(store, cluster.id.as_str()).await?;
    let wide: Vec<String> = grants
        .into_iter()
        .filter(|grant| reaches_others(&grant.value))
        .map(|grant| grant.value.principal_name)
        .collect();
    if wide.is_empty() {
        return Ok(());
    }
    Err(Fault::conflict(
        "cluster-granted",
        format!(
            "in the cluster '{}' rights beyond its own project's namespaces are granted to {}",
            cluster.name,
            wide.join(", ")
        ),
        "they would have them in the other project's namespace too: take them with `cloud k8s revoke`, share the cluster, and \
         grant again what is meant for all of it",
    ))
}

/// Everywhere, or in a namespace that is or may become another's. One that is not there yet can be granted, too.
fn reaches_others(grant: &ClusterGrant) -> bool {
    let Some(namespace) = &grant.granted.namespace else {
        return true;
    };
    let kept = ["project-", "org-"]
        .iter()
        .any(|of| namespace.as_str().starts_with(of));
    kept && namespace.as_str() != project_namespace(&grant.project)
}

async fn of_cluster(store: &dyn Store, cluster: &Cluster) -> Result<Vec<Versioned<ClusterShare>>, Fault> {
    let mut all = records::within::<ClusterShare>(store, cluster.id.as_str()).await?;
    all.sort_by(|a, b| a.value.with.name.cmp(&b.value.with.name));
    Ok(all)
}
