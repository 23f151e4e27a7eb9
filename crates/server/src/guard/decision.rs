//! The one decision: who somebody is by what they show, where they are by what the path names, and whether that is enough
//! for the row.

use app::tenants::{Entered, GrantedCluster};
use axum::{extract::RawPathParams, http::HeaderValue};
use types::{
    Fault, FaultKind, Secret,
    access::{Access, Principal},
    tenant::{Organisation, Role},
};

use crate::router::Api;

#[derive(Debug, Clone)]
pub(super) enum Inside {
    Nowhere,
    Org(Organisation),
    Project(Entered),
    /// One cluster of a project in which the caller has no role.
    Cluster(Box<GrantedCluster>),
}

/// What a path names of tenants.
#[derive(Debug, Clone)]
struct Named {
    project: Option<String>,
    org: Option<String>,
    /// A cluster, where the access is about one.
    reference: Option<String>,
    instance: Option<String>,
}

impl Named {
    fn of(parameters: &RawPathParams) -> Self {
        let named = |wanted: &str| {
            let found = parameters.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| value.to_owned())
        };
        Self {
            project: named("project"),
            org: named("org"),
            reference: named("reference"),
            instance: named("instance"),
        }
    }
}

/// What somebody came with, and for what: good for asking again later whether they still would be let in.
#[derive(Clone)]
pub struct Pass {
    access: Access,
    named: Named,
    shown: Option<HeaderValue>,
}

/// As far as they got.
pub(super) struct Denied {
    pub inside: Inside,
    pub fault: Fault,
}

impl From<Fault> for Denied {
    fn from(fault: Fault) -> Self {
        let inside = Inside::Nowhere;
        Self { inside, fault }
    }
}

impl Pass {
    pub(super) fn new(access: Access, parameters: &RawPathParams, shown: Option<HeaderValue>) -> Self {
        let named = Named::of(parameters);
        Self { access, named, shown }
    }

    pub async fn is_good_still(&self, api: &Api) -> bool {
        match self.principal(api).await {
            Ok(principal) => self.decide(api, &principal).await.is_ok(),
            Err(_) => false,
        }
    }

    /// By the token.
    pub(super) async fn principal(&self, api: &Api) -> Result<Principal, Fault> {
        let Some(header) = &self.shown else {
            return Err(Fault::new(
                FaultKind::Unauthenticated,
                "token-missing",
                "the request carries no token",
                "log in with `cloud login`, or send `Authorization: Bearer <token>`",
            ));
        };
        let token = header
            .to_str()
            .ok()
            .and_then(|value| value.strip_prefix("Bearer "))
            .map(Secret::new)
            .unwrap_or_else(|| Secret::new(""));
        if api.token.matches(&token) {
            return api.tenants.root().await;
        }
        api.tenants.authenticate(&token).await
    }

    pub(super) async fn decide(&self, api: &Api, principal: &Principal) -> Result<Inside, Denied> {
        let inside = self.enter(api, principal).await?;
        // What is several projects' is the organisation's to decide.
        let access = match self.access {
            Access::ClusterAdmin if self.is_shared(api, &inside).await? => Access::OrgAdmin,
            access => access,
        };
        if allowed(access, principal, &inside) {
            return Ok(inside);
        }
        let fault = forbidden(access);
        Err(Denied { inside, fault })
    }

    async fn enter(&self, api: &Api, principal: &Principal) -> Result<Inside, Fault> {
        match (&self.named.project, &self.named.org) {
            (Some(project), _) => match api.tenants.enter(principal, project).await {
                Err(fault) if self.access == Access::ClusterSeen && fault.kind == FaultKind::NotFound => {
                    let cluster = self.named.reference.as_deref().unwrap_or_default();
                    let granted = api.tenants.enter_granted(principal, project, cluster).await;
                    granted.and_then(|granted| {
                        granted
                            .map(|granted| Inside::Cluster(Box::new(granted)))
                            .ok_or(fault)
                    })
                }
                entered => entered.map(Inside::Project),
            },
            (None, Some(org)) => api.tenants.find_org(principal, org).await.map(Inside::Org),
            (None, None) => Ok(Inside::Nowhere),
        }
    }

    async fn is_shared(&self, api: &Api, inside: &Inside) -> Result<bool, Fault> {
        let Inside::Project(entered) = inside else {
            return Ok(false);
        };
        let project = &entered.project.id;
        match (&self.named.instance, &self.named.reference) {
            (Some(instance), _) => api.tenants.is_instance_shared(project, instance).await,
            (None, Some(cluster)) => api.tenants.is_shared(project, cluster).await,
            (None, None) => Ok(false),
        }
    }
}

fn allowed(access: Access, principal: &Principal, inside: &Inside) -> bool {
    let org = match inside {
        Inside::Nowhere => None,
        Inside::Org(org) => Some(&org.id),
        Inside::Project(Entered { project, .. }) => Some(&project.org),
        Inside::Cluster(granted) => Some(&granted.project.org),
    };
    match access {
        Access::Open | Access::SignedIn => true,
        Access::Project(role) => matches!(inside, Inside::Project(entered) if entered.role >= role),
        // Of one that is not shared.
        Access::ClusterAdmin => {
            matches!(inside, Inside::Project(entered) if entered.role >= Role::ProjectAdmin)
        }
        Access::ClusterSeen => matches!(inside, Inside::Project(_) | Inside::Cluster(_)),
        // Whoever does not see it was told that it is not there.
        Access::OrgSeen => org.is_some(),
        Access::OrgAdmin => org.is_some_and(|org| principal.administers_org(org)),
        Access::Platform => principal.is_platform_admin(),
    }
}

fn forbidden(access: Access) -> Fault {
    let needed = match access {
        Access::Project(Role::ProjectAdmin) | Access::ClusterAdmin => "an administrator of the project",
        Access::Project(_) => "a member of the project",
        Access::OrgAdmin => "an administrator of the organisation",
        Access::Platform => "an administrator of the platform",
        Access::Open | Access::SignedIn | Access::ClusterSeen | Access::OrgSeen => "somebody else",
    };
    Fault::new(
        FaultKind::Forbidden,
        "forbidden",
        format!("this takes {needed}"),
        "see your roles with `cloud whoami`, and ask an administrator for one",
    )
}
