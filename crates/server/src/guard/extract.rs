//! What handlers learn of whoever was let in.

use app::tenants::Entered;
use axum::{extract::FromRequestParts, http::request::Parts};
use types::{Fault, ProjectId, access::Principal, grant::Granted, tenant::Organisation};

use super::{Caller, Pass, decision::Inside};
use crate::answer::{At, Refusal};

pub(super) fn caller(parts: &Parts) -> Result<&Caller, Refusal> {
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
