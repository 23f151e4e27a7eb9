//! Identities of programs.

use ports::{
    paging::Order,
    store::{Doc, Write},
};
use types::{
    Fault, Name, ProjectId, ServiceAccountId, Timestamp,
    tenant::{IssuedToken, Role, ServiceAccount},
};

use super::{Tenants, grants};
use crate::{
    books::Decision,
    paged::{self, Paged, Part},
    records, terms,
};

impl Tenants {
    pub async fn create_service_account(
        &self,
        project: &ProjectId,
        name: Name,
        role: Role,
    ) -> Result<ServiceAccount, Fault> {
        if role > Role::ProjectAdmin {
            return Err(Fault::unfit(
                "role-misplaced",
                format!("a service account cannot hold the role {role}"),
                "give project_admin, project_member or project_viewer",
            )
            .at("role"));
        }
        let id = &ServiceAccountId::generate();
        let name = &name;
        self.accept_once(move || {
            Box::pin(async move {
                let account = ServiceAccount {
                    id: id.clone(),
                    org: self.project(project).await?.org,
                    project: project.clone(),
                    name: name.clone(),
                    role,
                    not_before: Timestamp(0),
                    created: self.clock.now(),
                };
                Ok(Decision::Write {
                    writes: vec![Write::Put(Doc::new(&account, 0))],
                    answer: account,
                })
            })
        })
        .await
    }

    pub async fn list_service_accounts(
        &self,
        project: &ProjectId,
        part: &Part,
    ) -> Result<Paged<ServiceAccount>, Fault> {
        paged::read(&*self.store, Some(project.as_str()), Order::Name, part, Some).await
    }

    pub async fn get_service_account(
        &self,
        project: &ProjectId,
        reference: &str,
    ) -> Result<ServiceAccount, Fault> {
        let found = records::find::<ServiceAccount>(&*self.store, project, reference).await?;
        Ok(found.value)
    }

    /// Its tokens and SSH keys go with it.
    pub async fn delete_service_account(&self, project: &ProjectId, reference: &str) -> Result<(), Fault> {
        self.accept(move || {
            Box::pin(async move {
                let account = records::find::<ServiceAccount>(&*self.store, project, reference)
                    .await?
                    .value;
                terms::expect(Some(&account))?;
                let mut writes = vec![Write::Delete {
                    kind: "service-account",
                    id: account.id.to_string(),
                }];
                for token in records::children::<IssuedToken>(&*self.store, account.id.as_str()).await? {
                    writes.push(Write::Delete {
                        kind: "token",
                        id: token.value.id.to_string(),
                    });
                }
                writes.extend(self.without_ssh_keys(account.id.as_str()).await?);
                writes.extend(grants::of_principal(&*self.store, account.id.as_str()).await?);
                Ok(Decision::Write { writes, answer: () })
            })
        })
        .await
    }
}
