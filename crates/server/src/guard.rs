//! Who calls, and whether they may: the row of the table decides, before any handler runs.
//!
//! What the caller has no role in does not exist for them; what they see and may not do is forbidden. A request that
//! matches no row is refused, so a route that somebody forgot to put into the table answers nobody.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use api::{
    query,
    routes::{self, Method},
};
use app::tenants::{Entered, GrantedCluster};
use axum::{
    extract::{
        ConnectInfo, FromRequestParts, MatchedPath, RawPathParams, Request, State,
        rejection::RawPathParamsRejection,
    },
    http::{HeaderValue, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use types::{
    Fault, FaultKind, ProjectId, Secret,
    access::{Access, Principal},
    audit::Actor,
    grant::Granted,
    tenant::{Organisation, Project, Role},
};

use crate::{
    answer::{At, Refusal, no_such_method, unreadable},
    audit::Place,
    limits,
    router::Api,
};

/// Somebody who was let in.
#[derive(Debug, Clone)]
pub struct Caller {
    pub principal: Principal,
    inside: Inside,
}

impl Caller {
    fn actor(&self) -> Actor {
        Actor {
            id: self.principal.id.clone(),
            name: self.principal.name.clone(),
        }
    }

    fn place(&self) -> Place {
        match &self.inside {
            Inside::Nowhere => Place::default(),
            Inside::Org(org) => Place {
                org: Some(org.id.to_string()),
                project: None,
            },
            Inside::Project(Entered { project, .. }) => within(project),
            Inside::Cluster(granted) => within(&granted.project),
        }
    }
}

fn within(project: &Project) -> Place {
    Place {
        org: Some(project.org.to_string()),
        project: Some(project.id.to_string()),
    }
}

#[derive(Debug, Clone)]
enum Inside {
    Nowhere,
    Org(Organisation),
    Project(Entered),
    /// One cluster of a project in which the caller has no role.
    Cluster(Box<GrantedCluster>),
}

pub async fn guard(
    State(api): State<Api>,
    matched: MatchedPath,
    parameters: Result<RawPathParams, RawPathParamsRejection>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(row) = routes::row(request.method().as_str(), matched.as_str()) else {
        return no_such_method(request).await;
    };
    let parameters = match parameters {
        Ok(parameters) => parameters,
        Err(rejection) => return Refusal(unreadable(&rejection.body_text())).into_response(),
    };
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let address = address.map_or_else(String::new, |ConnectInfo(address)| address.ip().to_string());
    if row.access == Access::Open && row.method != Method::Get {
        // Whoever is not known yet is known by where they are.
        if let Err(wait) = api.limits.take(&address, limits::AT_THE_DOOR, Instant::now()) {
            return too_many(wait);
        }
    }
    if row.access != Access::Open {
        let shown = request.headers().get(header::AUTHORIZATION).cloned();
        let named = Named::of(&parameters);
        match admitted(&api, row.access, &named, shown.clone()).await {
            Ok(caller) => {
                let (actor, place) = (caller.actor(), caller.place());
                request.extensions_mut().insert(actor);
                request.extensions_mut().insert(place);
                request.extensions_mut().insert(Pass {
                    access: row.access,
                    named,
                    shown,
                });
                request.extensions_mut().insert(caller);
            }
            Err(Stopped { mut refusal, caller }) => {
                let Some(caller) = caller else {
                    let unknown = format!("unknown {address}");
                    let allowed = api.limits.take(&unknown, limits::UNKNOWN, Instant::now());
                    return allowed.map_or_else(too_many, |()| refusal);
                };
                refusal.extensions_mut().insert(caller.actor());
                refusal.extensions_mut().insert(caller.place());
                return refusal;
            }
        }
    }
    if let Err(fault) = query::check(row, request.uri().query().unwrap_or_default()) {
        return Refusal(fault).into_response();
    }
    next.run(request).await
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

/// What somebody was let in with, to ask again later whether they still would be.
#[derive(Clone)]
pub struct Pass {
    access: Access,
    named: Named,
    shown: Option<HeaderValue>,
}

impl Pass {
    pub async fn is_good_still(&self, api: &Api) -> bool {
        let Ok(principal) = authenticate(api, self.shown.clone()).await else {
            return false;
        };
        let inside = enter(api, self.access, &principal, &self.named).await;
        inside.is_ok_and(|inside| allowed(self.access, &principal, &inside))
    }
}

/// Somebody who was not let in, as far as they are known.
struct Stopped {
    refusal: Response,
    caller: Option<Caller>,
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Self {
            refusal: Refusal(fault).into_response(),
            caller: None,
        }
    }
}

fn too_many(wait: Duration) -> Response {
    let seconds = wait.as_secs() + 1;
    let fault = Fault::new(
        FaultKind::TooMany,
        "too-many-requests",
        "more was asked than one may ask in this time",
        format!("wait {seconds} s and ask again, less often"),
    );
    ([(header::RETRY_AFTER, seconds.to_string())], Refusal(fault)).into_response()
}

async fn admitted(
    api: &Api,
    access: Access,
    named: &Named,
    shown: Option<HeaderValue>,
) -> Result<Caller, Stopped> {
    let principal = authenticate(api, shown).await?;
    if let Err(wait) = api.limits.take(&principal.id, api.rate, Instant::now()) {
        let inside = Inside::Nowhere;
        return Err(Stopped {
            refusal: too_many(wait),
            caller: Some(Caller { principal, inside }),
        });
    }
    let inside = enter(api, access, &principal, named).await;
    // What is several projects' is the organisation's to decide.
    let access = match &inside {
        Ok(inside) if access == Access::ClusterAdmin && is_shared(api, inside, named).await? => {
            Access::OrgAdmin
        }
        _ => access,
    };
    let (caller, refused) = match inside {
        Ok(inside) if allowed(access, &principal, &inside) => return Ok(Caller { principal, inside }),
        Ok(inside) => (Caller { principal, inside }, forbidden(access)),
        Err(fault) => {
            let inside = Inside::Nowhere;
            (Caller { principal, inside }, fault)
        }
    };
    Err(Stopped {
        refusal: Refusal(refused).into_response(),
        caller: Some(caller),
    })
}

async fn enter(api: &Api, access: Access, principal: &Principal, named: &Named) -> Result<Inside, Fault> {
    match (&named.project, &named.org) {
        (Some(project), _) => match api.tenants.enter(principal, project).await {
            Err(fault) if access == Access::ClusterSeen && fault.kind == FaultKind::NotFound => {
                let cluster = named.reference.as_deref().unwrap_or_default();
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

async fn is_shared(api: &Api, inside: &Inside, named: &Named) -> Result<bool, Fault> {
    let Inside::Project(entered) = inside else {
        return Ok(false);
    };
    let project = &entered.project.id;
    match (&named.instance, &named.reference) {
        (Some(instance), _) => api.tenants.is_instance_shared(project, instance).await,
        (None, Some(cluster)) => api.tenants.is_shared(project, cluster).await,
        (None, None) => Ok(false),
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

async fn authenticate(api: &Api, shown: Option<HeaderValue>) -> Result<Principal, Fault> {
    let Some(header) = shown else {
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

fn caller(parts: &Parts) -> Result<&Caller, Refusal> {
    let found = parts.extensions.get::<Caller>();
    found.ok_or_else(|| {
        Refusal(Fault::internal(
            "caller-unknown",
            "an open route asks who is calling",
        ))
    })
}

/// Who calls.
pub struct By(pub Principal);

impl<S: Send + Sync> FromRequestParts<S> for By {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        Ok(Self(caller(parts)?.principal.clone()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Pass {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let found = parts.extensions.get::<Self>().cloned();
        found.ok_or_else(|| {
            Refusal(Fault::internal(
                "pass-unknown",
                "an open route asks who is calling",
            ))
        })
    }
}

/// The project of the path, which the caller has a role in.
pub struct Within(pub ProjectId);

/// The same, with the role.
pub struct Entry(pub Entered);

/// What the caller was granted in the cluster of the path, where that alone lets them see it.
pub struct Grantee(pub Option<Vec<Granted>>);

impl<S: Send + Sync> FromRequestParts<S> for Grantee {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        Ok(Self(match &caller(parts)?.inside {
            Inside::Cluster(cluster) => Some(cluster.granted.clone()),
            Inside::Nowhere | Inside::Org(_) | Inside::Project(_) => None,
        }))
    }
}

/// The organisation of the path, which the caller belongs to.
pub struct InOrg(pub Organisation);

/// The project and the reference to something in it.
pub struct Referenced(pub ProjectId, pub String);

impl<S: Send + Sync> FromRequestParts<S> for Entry {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        match &caller(parts)?.inside {
            Inside::Project(entered) => Ok(Self(entered.clone())),
            Inside::Nowhere | Inside::Org(_) | Inside::Cluster(_) => Err(Refusal(Fault::internal(
                "project-unknown",
                "the route names no project",
            ))),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Within {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let Entry(entered) = Entry::from_request_parts(parts, state).await?;
        Ok(Self(entered.project.id))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for InOrg {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        match &caller(parts)?.inside {
            Inside::Org(org) => Ok(Self(org.clone())),
            Inside::Nowhere | Inside::Project(_) | Inside::Cluster(_) => Err(Refusal(Fault::internal(
                "org-unknown",
                "the route names no organisation",
            ))),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Referenced {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let project = match &caller(parts)?.inside {
            // Whatever the path says, it is this one.
            Inside::Cluster(granted) => {
                return Ok(Self(granted.project.id.clone(), granted.cluster.id.to_string()));
            }
            Inside::Nowhere | Inside::Org(_) | Inside::Project(_) => {
                Within::from_request_parts(parts, state).await?.0
            }
        };
        let At((_, reference)) = At::<(String, String)>::from_request_parts(parts, state).await?;
        Ok(Self(project, reference))
    }
}
