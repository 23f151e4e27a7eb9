//! When the log is written.
//!
//! - A call that got past the door is written down before it is carried out, and again with its outcome. If the first
//!   cannot be written, nothing is done; so no change and no secret is without its record, whatever dies when.
//! - Carrying out does not end with the client's connection: a call that was begun gets its outcome recorded.
//! - If the outcome cannot be written, a change stands with the record of its beginning, and is answered as it is; a
//!   secret is withheld.
//! - A call that was refused at the door (no or a wrong token, not allowed, too many) is written down once; not so when
//!   strangers ask too often, or the limit would not spare the log.

use api::routes::Audited;
use axum::{
    extract::{RawPathParams, Request, State, rejection::RawPathParamsRejection},
    http::{HeaderValue, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use types::{
    Fault,
    audit::{Actor, Change, Entry, Stage},
};

use super::{Note, Place, call::Call};
use crate::{
    answer::{FaultCode, Refusal},
    router::Api,
};

const REQUEST_ID: &str = "x-request-id";

/// On an answer whose call is in the log.
#[derive(Debug, Clone, Copy)]
struct Recorded;

/// Around authentication: sees every call of a route, also those that get no further.
pub async fn at_the_door(
    State(api): State<Api>,
    parameters: Result<RawPathParams, RawPathParamsRejection>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(call) = Call::of(&request, parameters.as_ref().ok()) else {
        return next.run(request).await;
    };
    request.extensions_mut().insert(call.clone());
    let mut response = next.run(request).await;
    let actor = response.extensions().get::<Actor>().cloned();
    let spared = actor.is_none() && response.status() == StatusCode::TOO_MANY_REQUESTS;
    if !spared && response.extensions().get::<Recorded>().is_none() {
        let place = response.extensions().get::<Place>().cloned();
        let place = place.unwrap_or_else(|| place_of(&call));
        let refused = outcome(
            &api,
            &call,
            &actor.unwrap_or_else(Actor::unknown),
            &place,
            &response,
        );
        if let Err(fault) = api.audit.append(refused).await {
            tracing::error!(action = call.route.id, cause = %fault, "a refused call could not be recorded");
        }
    }
    if let Ok(id) = HeaderValue::from_str(call.request.as_str()) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Within authentication: the caller is known, and the handler is next.
pub async fn record(State(api): State<Api>, request: Request, next: Next) -> Response {
    let Some(call) = request.extensions().get::<Call>().cloned() else {
        return next.run(request).await;
    };
    let carried_out = tokio::spawn(carry_out(api, call, request, next)).await;
    carried_out
        .unwrap_or_else(|error| Refusal(Fault::internal("handler-died", error.to_string())).into_response())
}

async fn carry_out(api: Api, call: Call, request: Request, next: Next) -> Response {
    let actor = request.extensions().get::<Actor>().cloned();
    let actor = actor.unwrap_or_else(Actor::unknown);
    let place = request.extensions().get::<Place>().cloned();
    let place = place.unwrap_or_else(|| place_of(&call));
    let begun = entry(&api, &call, &actor, &place);
    let mut response = match api.audit.append(begun).await {
        Ok(_) => {
            let response = next.run(request).await;
            let ended = outcome(&api, &call, &actor, &place, &response);
            match api.audit.append(ended).await {
                Ok(_) => response,
                Err(fault) => without_outcome(&call, fault, response),
            }
        }
        Err(fault) => Refusal(unrecorded(fault)).into_response(),
    };
    response.extensions_mut().insert(Recorded);
    response
}

fn without_outcome(call: &Call, fault: Fault, response: Response) -> Response {
    tracing::error!(action = call.route.id, request = %call.request, cause = %fault, "an outcome could not be recorded");
    match call.route.audited {
        Audited::SecretRead => Refusal(unrecorded(fault)).into_response(),
        Audited::Change | Audited::No => response,
    }
}

fn unrecorded(fault: Fault) -> Fault {
    Fault::new(
        fault.kind,
        "audit-unwritable",
        format!(
            "the call was not carried out, because it cannot be recorded: {}",
            fault.cause
        ),
        fault.remedy,
    )
}

/// Of whoever was not let in: as they named it.
fn place_of(call: &Call) -> Place {
    Place {
        org: None,
        project: call.project.clone(),
    }
}

fn entry(api: &Api, call: &Call, actor: &Actor, place: &Place) -> Entry {
    Entry {
        at_ms: api.audit.clock.unix_ms(),
        stage: Stage::Begun,
        actor: actor.clone(),
        origin: call.origin.clone(),
        action: call.route.id.to_owned(),
        object: call.object.clone(),
        project: place.project.clone(),
        org: place.org.clone(),
        change: None,
        status: None,
        code: None,
        request: call.request.to_string(),
    }
}

/// A record is kept for ever; what is longer than this is to be found in what was changed.
const CHANGE_LIMIT: usize = 4096;

fn within_limit(change: Change) -> Change {
    match change.as_str().len() {
        0..=CHANGE_LIMIT => change,
        bytes => Change::of(&serde_json::json!({"leftOut": format!("{bytes} bytes of JSON")})),
    }
}

fn outcome(api: &Api, call: &Call, actor: &Actor, place: &Place, response: &Response) -> Entry {
    let Note {
        name,
        id,
        change,
        actor: turned_out,
    } = response.extensions().get::<Note>().cloned().unwrap_or_default();
    let mut entry = entry(api, call, turned_out.as_ref().unwrap_or(actor), place);
    entry.stage = Stage::Ended;
    entry.object.name = name.or(entry.object.name);
    entry.object.id = id;
    entry.change = change.as_ref().map(Change::of).map(within_limit);
    entry.status = Some(response.status().as_u16());
    entry.code = response
        .extensions()
        .get::<FaultCode>()
        .map(|FaultCode(code)| code.clone());
    entry
}
