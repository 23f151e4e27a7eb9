//! Rights in one cluster, given to one person or program of the same organisation: give, list, take, and what goes with
//! whom.
//!
//! Whoever has one reaches that cluster and sees it, and nothing else of its project. What it means inside is the
//! cluster's controllers' to keep; who holds it the edge knows from the books (`identity::snapshot`).

use ports::{
    Store,
    store::{Doc, Write},
};
use types::{
    Email, Fault, FaultKind, GrantId, Name, OrgId, Principal, ProjectId,
    cluster::Cluster,
    grant::{ClusterGrant, GrantRole, Granted, Namespace},
    operation::{Subject, SubjectKind},
    tenant::{Organisation, Place, Project, ServiceAccount, User},
};

use super::Tenants;
use crate::{books::Decision, records};

/// Every one is told to the edge; more than anybody has use for.
const MOST: usize = 1000;

/// A cluster that somebody was granted something in, and whose it is.
#[derive(Debug, Clone)]
pub struct GrantedCluster {
    pub cluster: Cluster,
    pub project: Project,
    pub org: Organisation,
    pub granted: Vec<Granted>,
}

impl Tenants {
    /// The same twice is once.
    pub async fn grant(
        &self,
        caller: &Principal,
        project: &ProjectId,
        reference: &str,
        who: &str,
        granted: Granted,
    ) -> Result<ClusterGrant, Fault> {
        if let Some(namespace) = granted.namespace.as_ref().filter(|n| n.is_system()) {
            return Err(Fault::refused(
                "namespace-system",
                format!(
                    "'{namespace}' is Kubernetes' own: whoever works there can become any of its controllers"
                ),
                "grant viewer in the whole cluster, which reads it all but secrets, or name another namespace",
            ));
        }
        let (id, granted) = (&GrantId::generate(), &granted);
        self.accept(move || {
            Box::pin(async move {
                let store = &*self.store;
                let cluster = records::find::<Cluster>(store, project, reference).await?.value;
                if cluster.deleting {
                    return Err(Fault::conflict(
                        "cluster-deleting",
                        format!("the cluster '{}' is being deleted", cluster.name),
                        "nothing: what was granted in it goes with it",
                    ));
                }
                let org = self.project(project).await?.org;
                let (principal, principal_name) = self.known_here(&org, project, who).await?;
                let present = of_cluster(store, &cluster).await?;
                let key = ClusterGrant::key(&principal, granted);
                if let Some(same) = present.iter().find(|grant| grant.key == key) {
                    return Ok(Decision::Answer(same.clone()));
                }
                if present.len() >= MOST {
                    return Err(Fault::refused(
                        "grants-exhausted",
                        format!(
                            "in the cluster '{}' {MOST} grants are in force, which is the most",
                            cluster.name
                        ),
                        "take those that are not needed: see `cloud k8s grants`",
                    ));
                }
                let grant = ClusterGrant {
                    id: id.clone(),
                    cluster: cluster.id.clone(),
                    org,
                    project: project.clone(),
                    principal,
                    principal_name,
                    granted: granted.clone(),
                    by: caller.name.clone(),
                    created: self.clock.now(),
                    key,
                };
                Ok(Decision::Write {
                    writes: vec![Write::Put(Doc::new(&grant, 0)), self.look_at(&cluster)],
                    answer: grant,
                })
            })
        })
        .await
    }

    /// By whom they were given to, then by what they are.
    pub async fn list_grants(
        &self,
        project: &ProjectId,
        reference: &str,
    ) -> Result<Vec<ClusterGrant>, Fault> {
        let cluster = records::find::<Cluster>(&*self.store, project, reference)
            .await?
            .value;
        of_cluster(&*self.store, &cluster).await
    }

    /// All that somebody has in a cluster, or what of it is in one namespace, or of one role. What was taken.
    pub async fn revoke_grants(
        &self,
        project: &ProjectId,
        reference: &str,
        who: &str,
        namespace: Option<&Namespace>,
        role: Option<GrantRole>,
    ) -> Result<Vec<ClusterGrant>, Fault> {
        self.accept(move || {
            Box::pin(async move {
                let store = &*self.store;
                let cluster = records::find::<Cluster>(store, project, reference).await?.value;
                let short = format!("sa-{who}@{}", self.project(project).await?.name);
                let theirs = |grant: &ClusterGrant| {
                    grant.principal == who
                        || grant.principal_name.eq_ignore_ascii_case(who)
                        || grant.principal_name == short
                };
                let meant = |grant: &ClusterGrant| {
                    theirs(grant)
                        && namespace.is_none_or(|n| grant.granted.namespace.as_ref() == Some(n))
                        && role.is_none_or(|role| grant.granted.role == role)
                };
                let mut taken = of_cluster(store, &cluster).await?;
                taken.retain(meant);
                if taken.is_empty() {
                    return Err(Fault::new(
                        FaultKind::NotFound,
                        "grant-not-found",
                        format!(
                            "'{who}' was granted nothing like that in the cluster '{}'",
                            cluster.name
                        ),
                        "see what was with `cloud k8s grants`",
                    ));
                }
                let mut writes: Vec<Write> = taken.iter().map(gone).collect();
                writes.push(self.look_at(&cluster));
                Ok(Decision::Write {
                    writes,
                    answer: taken,
                })
            })
        })
        .await
    }

    /// Clusters of any project in which the caller was granted something.
    pub async fn granted_clusters(&self, caller: &Principal) -> Result<Vec<GrantedCluster>, Fault> {
        let store = &*self.store;
        let mut all: Vec<GrantedCluster> = Vec::new();
        for grant in records::children::<ClusterGrant>(store, &caller.id).await? {
            let grant = grant.value;
            if let Some(known) = all.iter_mut().find(|known| known.cluster.id == grant.cluster) {
                known.granted.push(grant.granted);
                continue;
            }
            let cluster = records::get::<Cluster>(store, grant.cluster.as_str()).await?;
            let project = records::get::<Project>(store, grant.project.as_str()).await?;
            let org = records::get::<Organisation>(store, grant.org.as_str()).await?;
            if let (Some(cluster), Some(project), Some(org)) = (cluster, project, org) {
                all.push(GrantedCluster {
                    cluster: cluster.value,
                    project: project.value,
                    org: org.value,
                    granted: vec![grant.granted],
                });
            }
        }
        for known in &mut all {
            known.granted.sort();
        }
        all.sort_by(|a, b| (&a.cluster.name, &a.cluster.id).cmp(&(&b.cluster.name, &b.cluster.id)));
        Ok(all)
    }

    /// The one cluster that this path means to somebody who has no role in its project. It costs the same whether or not
    /// there is such a project: only what the caller was granted is looked at.
    pub async fn enter_granted(
        &self,
        caller: &Principal,
        project: &str,
        reference: &str,
    ) -> Result<Option<GrantedCluster>, Fault> {
        let mut meant: Vec<GrantedCluster> = self
            .granted_clusters(caller)
            .await?
            .into_iter()
            .filter(|known| known.is_called(project, reference))
            .collect();
        // Names may repeat over organisations; an id does not.
        Ok(if meant.len() == 1 { meant.pop() } else { None })
    }

    /// Somebody of the organisation. Whoever is not is not there, known to the platform or not.
    async fn known_here(
        &self,
        org: &OrgId,
        project: &ProjectId,
        who: &str,
    ) -> Result<(String, String), Fault> {
        let stranger = || {
            Fault::new(
                FaultKind::NotFound,
                "grantee-not-found",
                format!("nobody called '{who}' is known to the organisation"),
                "name a person who has a role in one of its projects (invite them first, with `cloud user invite`), or a \
                 service account as <name> or sa-<name>@<project>",
            )
        };
        match self.account_called(org, project, who).await? {
            Some(account) => {
                let home = self.project(&account.project).await?;
                return Ok((
                    account.id.to_string(),
                    format!("sa-{}@{}", account.name, home.name),
                ));
            }
            None if !who.contains('@') => return Err(stranger()),
            None => {}
        }
        let email: Email = who.parse().map_err(|_| stranger())?;
        let user = self.user_named(email.as_str()).await?.map(|user| user.value);
        let user = user.filter(|user| belongs(user, org)).ok_or_else(stranger)?;
        Ok((user.id.to_string(), user.email.to_string()))
    }

    /// By id, as it is called in clusters, or by its name alone where it is the cluster's own project's.
    async fn account_called(
        &self,
        org: &OrgId,
        project: &ProjectId,
        who: &str,
    ) -> Result<Option<ServiceAccount>, Fault> {
        let store = &*self.store;
        if let Some(found) = records::get::<ServiceAccount>(store, who).await? {
            return Ok(Some(found.value).filter(|account| account.org == *org));
        }
        let (home, name) = match who.strip_prefix("sa-").and_then(|rest| rest.split_once('@')) {
            Some((name, home)) => {
                let projects = self.projects_of(org).await?.into_iter().map(|p| p.value);
                let mut projects = projects.filter(|p| p.name.as_str() == home);
                match projects.next() {
                    Some(home) => (home.id, name),
                    None => return Ok(None),
                }
            }
            None => (project.clone(), who),
        };
        if name.parse::<Name>().is_err() {
            return Ok(None);
        }
        let found = records::named::<ServiceAccount>(store, home.as_str(), name).await?;
        Ok(found.map(|account| account.value))
    }

    /// At once: the cluster is told of what changed.
    pub(super) fn look_at(&self, cluster: &Cluster) -> Write {
        Write::Wake {
            subject: Subject {
                kind: SubjectKind::Cluster,
                id: cluster.id.to_string(),
            },
            at_ms: self.clock.unix_ms(),
        }
    }
}

impl GrantedCluster {
    fn is_called(&self, project: &str, reference: &str) -> bool {
        let home = &self.project;
        let named = project == home.id.as_str()
            || project == home.name.as_str()
            || project.split_once('/').is_some_and(|(org, name)| {
                (org == self.org.id.as_str() || org == self.org.name.as_str()) && name == home.name.as_str()
            });
        named && (reference == self.cluster.id.as_str() || reference == self.cluster.name.as_str())
    }
}

async fn of_cluster(store: &dyn Store, cluster: &Cluster) -> Result<Vec<ClusterGrant>, Fault> {
    let all = records::within::<ClusterGrant>(store, cluster.id.as_str()).await?;
    let mut all: Vec<ClusterGrant> = all.into_iter().map(|grant| grant.value).collect();
    all.sort_by(|a, b| (&a.principal_name, &a.granted).cmp(&(&b.principal_name, &b.granted)));
    Ok(all)
}

/// Being an administrator of the platform is not being of an organisation.
fn belongs(user: &User, org: &OrgId) -> bool {
    let held = user.held();
    held.iter().any(|grant| grant.place.org() == Some(org))
}

fn gone(grant: &ClusterGrant) -> Write {
    Write::Delete {
        kind: "grant",
        id: grant.id.to_string(),
    }
}

/// All that somebody had who goes, person or program.
pub(super) async fn of_principal(store: &dyn Store, id: &str) -> Result<Vec<Write>, Fault> {
    let all = records::children::<ClusterGrant>(store, id).await?;
    Ok(all.iter().map(|grant| gone(&grant.value)).collect())
}

/// What a person who lost roles loses with them: what they had in clusters of the place they were removed from, and all in
/// an organisation they do not belong to any more.
pub(super) async fn lost(store: &dyn Store, user: &User, place: Option<&Place>) -> Result<Vec<Write>, Fault> {
    let all = records::children::<ClusterGrant>(store, user.id.as_str()).await?;
    let goes = |grant: &ClusterGrant| {
        let at = Place::Project(grant.org.clone(), grant.project.clone());
        place.is_some_and(|place| at.is_within(place)) || !belongs(user, &grant.org)
    };
    let all = all.iter().map(|grant| &grant.value);
    Ok(all.filter(|grant| goes(grant)).map(gone).collect())
}
