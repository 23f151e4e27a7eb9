//! Who calls, and whether they may: the row of the table decides, before any handler runs.
//!
//! What the caller has no role in does not exist for them; what they see and may not do is forbidden. A request that
//! matches no row is refused, so a route that somebody forgot to put into the table answers nobody.

mod decision;
mod extract;
mod seat;

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use api::{
    query,
    routes::{self, Method},
};
use app::tenants::Entered;
use axum::{
    extract::{ConnectInfo, MatchedPath, RawPathParams, Request, State, rejection::RawPathParamsRejection},
    http::header,
    middleware::Next,
    response::{IntoResponse, Response},
};
use types::{
    Fault, FaultKind,
    access::{Access, Principal},
    audit::Actor,
    tenant::Project,
};

use self::decision::{Denied, Inside};
pub use self::{
    decision::Pass,
    extract::{By, Entry, Grantee, InOrg, Referenced, Within},
    seat::{Seat, Seats},
};
use crate::{
    answer::{Refusal, no_such_method, unreadable},
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
        let pass = Pass::new(row.access, &parameters, shown);
        match admitted(&api, &pass).await {
            Ok(caller) => {
                let (actor, place) = (caller.actor(), caller.place());
                request.extensions_mut().insert(actor);
                request.extensions_mut().insert(place);
                request.extensions_mut().insert(pass);
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

async fn admitted(api: &Api, pass: &Pass) -> Result<Caller, Stopped> {
    let principal = pass.principal(api).await?;
    if let Err(wait) = api.limits.take(&principal.id, api.rate, Instant::now()) {
        let inside = Inside::Nowhere;
        return Err(Stopped {
            refusal: too_many(wait),
            caller: Some(Caller { principal, inside }),
        });
    }
    match pass.decide(api, &principal).await {
        Ok(inside) => Ok(Caller { principal, inside }),
        Err(Denied { inside, fault }) => Err(Stopped {
            refusal: Refusal(fault).into_response(),
            caller: Some(Caller { principal, inside }),
        }),
    }
}
