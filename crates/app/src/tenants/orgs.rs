//! Organisations: create, list, get, delete.

use ports::{
    paging::Order,
    store::{Doc, PLATFORM, Versioned, Write},
};
use types::{
    Fault, Name, OrgId, Principal,
    tenant::{Invitation, Organisation, Project, Quota},
};

use super::{Tenants, members::without_place};
use crate::{
    books::Decision,
    default_org,
    paged::{self, Paged, Part},
    records, terms,
};

impl Tenants {
    pub async fn create_org(
        &self,
        name: Name,
        max_projects: u32,
        quota: Quota,
    ) -> Result<Organisation, Fault> {
        let id = &OrgId::generate();
        let name = &name;
        self.accept_once(move || {
            Box::pin(async move {
                let org = Organisation {
                    id: id.clone(),
                    name: name.clone(),
                    max_projects,
                    quota,
                    created: self.clock.now(),
                };
                Ok(Decision::Write {
                    writes: vec![Write::Put(Doc::new(&org, 0))],
                    answer: org,
                })
            })
        })
        .await
    }

    /// Those the caller belongs to.
    pub async fn list_orgs(&self, caller: &Principal, part: &Part) -> Result<Paged<Organisation>, Fault> {
        let own = |org: Organisation| caller.role_in_org(&org.id).is_some().then_some(org);
        paged::read(&*self.store, Some(PLATFORM), Order::Name, part, own).await
    }

    /// By name or id. One the caller does not belong to is not found.
    pub async fn find_org(&self, caller: &Principal, reference: &str) -> Result<Organisation, Fault> {
        let by_id = records::get::<Organisation>(&*self.store, reference).await?;
        let found = match by_id {
            Some(found) => Some(found),
            None => self.org_named(reference).await?,
        };
        found
            .map(|org| org.value)
            .filter(|org| caller.role_in_org(&org.id).is_some())
            .ok_or_else(|| org_not_found(reference))
    }

    pub(super) async fn org_named(&self, name: &str) -> Result<Option<Versioned<Organisation>>, Fault> {
        records::named(&*self.store, PLATFORM, name).await
    }

    pub async fn set_org_quota(&self, id: &OrgId, quota: Quota) -> Result<Organisation, Fault> {
        self.accept(move || {
            Box::pin(async move {
                let found = records::get::<Organisation>(&*self.store, id.as_str()).await?;
                let mut org = found.ok_or_else(|| org_not_found(id.as_str()))?;
                terms::expect_at(Some(terms::of_org_quota(&org.value)))?;
                org.value.quota = quota;
                Ok(Decision::Write {
                    writes: vec![Write::Put(Doc::new(&org.value, org.version))],
                    answer: org.value,
                })
            })
        })
        .await
    }

    /// One that has no project; its invitations and its people's roles in it go with it.
    pub async fn delete_org(&self, id: &OrgId) -> Result<(), Fault> {
        if *id == default_org() {
            return Err(Fault::refused(
                "org-default",
                "the organisation 'default' belongs to the platform",
                "delete what is in it instead",
            ));
        }
        self.accept(move || {
            Box::pin(async move {
                let store = &*self.store;
                let org = records::get::<Organisation>(store, id.as_str()).await?;
                terms::expect(org.as_ref().map(|org| &org.value))?;
                let projects = self.projects_of(id).await?;
                if !projects.is_empty() {
                    let names: Vec<String> = projects.iter().map(|p| p.value.name.to_string()).collect();
                    return Err(Fault::conflict(
                        "org-in-use",
                        format!("the organisation has projects: {}", names.join(", ")),
                        "delete them first",
                    ));
                }
                let mut writes = vec![Write::Delete {
                    kind: "org",
                    id: id.to_string(),
                }];
                for invitation in records::children::<Invitation>(store, id.as_str()).await? {
                    writes.push(Write::Delete {
                        kind: "invitation",
                        id: invitation.value.id.to_string(),
                    });
                }
                writes.extend(without_place(store, |place| place.org() == Some(id), self.clock.now()).await?);
                Ok(Decision::Write { writes, answer: () })
            })
        })
        .await
    }

    pub(super) async fn projects_of(&self, org: &OrgId) -> Result<Vec<Versioned<Project>>, Fault> {
        records::within(&*self.store, org.as_str()).await
    }
}

fn org_not_found(reference: &str) -> Fault {
    Fault::new(
        types::FaultKind::NotFound,
        "org-not-found",
        format!("there is no organisation '{reference}'"),
        "see yours with `cloud org list`",
    )
}
