//! Projects: create, list, enter, change the quota, delete.

use ports::{
    paging::Order,
    store::{Doc, Filter, Versioned, Write},
};
use types::{
    Fault, FaultKind, Name, OrgId, Principal, ProjectId,
    cluster::Cluster,
    kept_secret::KeptSecret,
    network::Network,
    ssh_key::SshKey,
    tenant::{Invitation, IssuedToken, Project, Quota, Role, ServiceAccount},
};

use super::{Tenants, grants, members::without_place};
use crate::{
    books::Decision,
    default_project,
    paged::{self, Paged, Part},
    records, terms,
};

/// A project somebody may be in, and as what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entered {
    pub project: Project,
    pub role: Role,
}

impl Tenants {
    /// `caller` may be the organisation's own administrator: then the number of projects is bounded.
    pub async fn create_project(
        &self,
        caller: &Principal,
        org: &OrgId,
        name: Name,
        quota: Quota,
    ) -> Result<Project, Fault> {
        let id = &ProjectId::generate();
        let name = &name;
        self.accept_once(move || {
            Box::pin(async move {
                let found = records::get(&*self.store, org.as_str()).await?;
                let org: Versioned<types::tenant::Organisation> =
                    found.ok_or_else(|| Fault::not_found("org", org.as_str()))?;
                let present = self.projects_of(&org.value.id).await?.len();
                if present >= org.value.max_projects as usize && !caller.is_platform_admin() {
                    return Err(Fault::refused(
                        "projects-exhausted",
                        format!(
                            "the organisation '{}' has {present} projects of at most {}",
                            org.value.name, org.value.max_projects
                        ),
                        "delete one, or ask an administrator of the platform to raise the limit",
                    ));
                }
                let project = Project {
                    id: id.clone(),
                    org: org.value.id,
                    name: name.clone(),
                    quota,
                    created_by: caller.name.clone(),
                    created: self.clock.now(),
                };
                Ok(Decision::Write {
                    writes: vec![Write::Put(Doc::new(&project, 0))],
                    answer: project,
                })
            })
        })
        .await
    }

    /// Those the caller has a role in.
    pub async fn list_projects(&self, caller: &Principal) -> Result<Vec<Entered>, Fault> {
        let mut all: Vec<Entered> = records::list::<Project>(&*self.store, &Filter::default())
            .await?
            .into_iter()
            .filter_map(|project| entered(caller, project.value))
            .collect();
        all.sort_by(|a, b| (&a.project.name, &a.project.org).cmp(&(&b.project.name, &b.project.org)));
        Ok(all)
    }

    /// The same by the page.
    pub async fn page_projects(&self, caller: &Principal, part: &Part) -> Result<Paged<Entered>, Fault> {
        let own = |project| entered(caller, project);
        paged::read(&*self.store, None, Order::Name, part, own).await
    }

    /// By id, by name, or by `organisation/name` where a name alone could mean several. One the caller has no role in
    /// is not found.
    pub async fn enter(&self, caller: &Principal, reference: &str) -> Result<Entered, Fault> {
        if let Some(found) = records::get::<Project>(&*self.store, reference).await? {
            return entered(caller, found.value).ok_or_else(|| project_not_found(reference));
        }
        let (org, name) = match reference.split_once('/') {
            Some((org, name)) => (Some(self.find_org(caller, org).await), name),
            None => (None, reference),
        };
        let org = match org {
            Some(Ok(org)) => Some(org.id),
            Some(Err(_)) => return Err(project_not_found(reference)),
            None => None,
        };
        let filter = Filter {
            scope: org.map(String::from),
            name: Some(name.to_owned()),
            ..Filter::default()
        };
        let mut seen: Vec<Entered> = records::list::<Project>(&*self.store, &filter)
            .await?
            .into_iter()
            .filter_map(|project| entered(caller, project.value))
            .collect();
        // The one that was there first keeps its plain name: an operator's `default` stays that.
        if let Some(at) = seen.iter().position(|e| e.project.id == default_project()) {
            return Ok(seen.swap_remove(at));
        }
        match seen.len() {
            0 => Err(project_not_found(reference)),
            1 => Ok(seen.remove(0)),
            _ => Err(Fault::conflict(
                "project-ambiguous",
                format!("several of your organisations have a project '{name}'"),
                "name it as <organisation>/<project>, or by its id; see `cloud project list`",
            )),
        }
    }

    pub async fn set_quota(&self, id: &ProjectId, quota: Quota) -> Result<Project, Fault> {
        self.accept(move || {
            Box::pin(async move {
                let found = records::get::<Project>(&*self.store, id.as_str()).await?;
                let mut project = found.ok_or_else(|| project_not_found(id.as_str()))?;
                terms::expect_at(Some(terms::of_quota(&project.value)))?;
                project.value.quota = quota;
                let mut writes = vec![Write::Put(Doc::new(&project.value, project.version))];
                // Its namespaces follow.
                writes.extend(self.look_at_all(id).await?);
                Ok(Decision::Write {
                    writes,
                    answer: project.value,
                })
            })
        })
        .await
    }

    /// One with nothing in it; its service accounts, tokens, invitations and everybody's roles in it go with it.
    pub async fn delete_project(&self, id: &ProjectId) -> Result<(), Fault> {
        if *id == default_project() {
            return Err(Fault::refused(
                "project-default",
                "the project 'default' belongs to the platform",
                "delete what is in it instead",
            ));
        }
        self.accept(move || {
            Box::pin(async move {
                let store = &*self.store;
                let project = records::get::<Project>(store, id.as_str()).await?;
                terms::expect(project.as_ref().map(|project| &project.value))?;
                let inside = id.as_str();
                let mut holding: Vec<String> = Vec::new();
                for cluster in records::within::<Cluster>(store, inside).await? {
                    holding.push(format!("the cluster '{}'", cluster.value.name));
                }
                for network in records::within::<Network>(store, inside).await? {
                    holding.push(format!("the VPC '{}'", network.value.name));
                }
                for secret in records::within::<KeptSecret>(store, inside).await? {
                    holding.push(format!("the secret '{}'", secret.value.name));
                }
                if !holding.is_empty() {
                    return Err(Fault::conflict(
                        "project-in-use",
                        format!("the project has {}", holding.join(", ")),
                        "delete them first",
                    ));
                }
                let mut writes = vec![Write::Delete {
                    kind: "project",
                    id: id.to_string(),
                }];
                writes.extend(self.end_shares(&self.project(id).await?).await?);
                let accounts = records::within::<ServiceAccount>(store, inside).await?;
                for account in &accounts {
                    writes.extend(grants::of_principal(store, account.value.id.as_str()).await?);
                }
                let mut gone = |kind: &'static str, id: String| writes.push(Write::Delete { kind, id });
                for account in accounts {
                    for key in records::children::<SshKey>(store, account.value.id.as_str()).await? {
                        gone("ssh-key", key.value.id.to_string());
                    }
                    gone("service-account", account.value.id.to_string());
                }
                for token in records::within::<IssuedToken>(store, inside).await? {
                    gone("token", token.value.id.to_string());
                }
                for invitation in records::list::<Invitation>(store, &Filter::default()).await? {
                    if invitation.value.grant.place.project() == Some(id) {
                        gone("invitation", invitation.value.id.to_string());
                    }
                }
                writes.extend(
                    without_place(store, |place| place.project() == Some(id), self.clock.now()).await?,
                );
                Ok(Decision::Write { writes, answer: () })
            })
        })
        .await
    }

    pub(super) async fn project(&self, id: &ProjectId) -> Result<Project, Fault> {
        let found = records::get::<Project>(&*self.store, id.as_str()).await?;
        Ok(found.ok_or_else(|| project_not_found(id.as_str()))?.value)
    }
}

fn entered(caller: &Principal, project: Project) -> Option<Entered> {
    let role = caller.role_in_project(&project.org, &project.id)?;
    Some(Entered { project, role })
}

fn project_not_found(reference: &str) -> Fault {
    Fault::new(
        FaultKind::NotFound,
        "project-not-found",
        format!("there is no project '{reference}'"),
        "see yours with `cloud project list`",
    )
}
