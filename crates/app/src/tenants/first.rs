//! What is there from the start: an organisation and a project called `default`, and the first administrator.

use ports::store::{Doc, Write};
use types::{
    Fault, Timestamp,
    tenant::{Grant, Organisation, Place, Project, Quota, Role, User},
};

use super::Tenants;
use crate::{books::Decision, default_org, default_project, records, root_user};

const NAME: &str = "default";
const ROOT_EMAIL: &str = "admin@platform.local";
/// The operator's own organisation is not kept small.
const MANY_PROJECTS: u32 = 1000;

impl Tenants {
    /// Makes what is missing of it.
    pub async fn begin(&self) -> Result<(), Fault> {
        self.accept(move || {
            Box::pin(async move {
                let store = &*self.store;
                let now = self.clock.now();
                let mut writes = Vec::new();
                if records::get::<Organisation>(store, default_org().as_str())
                    .await?
                    .is_none()
                {
                    writes.push(Write::Put(Doc::new(&organisation(now), 0)));
                }
                if records::get::<Project>(store, default_project().as_str())
                    .await?
                    .is_none()
                {
                    writes.push(Write::Put(Doc::new(&project(now), 0)));
                }
                if records::get::<User>(store, root_user().as_str()).await?.is_none() {
                    writes.push(Write::Put(Doc::new(&root(now), 0)));
                }
                Ok(if writes.is_empty() {
                    Decision::Answer(())
                } else {
                    Decision::Write { writes, answer: () }
                })
            })
        })
        .await
    }
}

fn organisation(now: Timestamp) -> Organisation {
    Organisation {
        id: default_org(),
        name: NAME.parse().expect("a valid name"),
        max_projects: MANY_PROJECTS,
        quota: Quota::default(),
        created: now,
    }
}

/// Without limits of its own: a single user's platform ends where the host does.
fn project(now: Timestamp) -> Project {
    Project {
        id: default_project(),
        org: default_org(),
        name: NAME.parse().expect("a valid name"),
        quota: Quota::default(),
        created_by: ROOT_EMAIL.to_owned(),
        created: now,
    }
}

fn root(now: Timestamp) -> User {
    User {
        id: root_user(),
        email: ROOT_EMAIL.parse().expect("a valid address"),
        grants: vec![
            Grant {
                role: Role::PlatformAdmin,
                place: Place::Platform,
            },
            Grant {
                role: Role::OrgAdmin,
                place: Place::Org(default_org()),
            },
        ],
        failures: 0,
        locked_until: None,
        not_before: Timestamp(0),
        created: now,
    }
}
