//! `/operations`, and watching one as server-sent events
//!
//! A watch ends with its operation, with the surface's stream, with its caller's right to it, or when the daemon stops,
//! whichever is first; a client whose operation has not ended watches again.

use std::{convert::Infallible, time::Duration};

use api::operation::OperationView;
use axum::{
    Json,
    extract::State,
    response::{
        Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{Stream, StreamExt, stream, stream::BoxStream};
use serde_json::json;
use types::{Fault, OperationId, operation::Operation};

use super::listing::ListAsked;
use crate::{
    answer::Answer,
    audit::Note,
    guard::{Referenced, Seat, Within},
    router::Api,
};

const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What does not look like an id is not the id of anything.
fn parse_id(given: &str) -> Result<OperationId, Fault> {
    given.parse().map_err(|_| Fault::not_found("operation", given))
}

pub async fn list(State(api): State<Api>, Within(project): Within, asked: ListAsked) -> Answer<Response> {
    asked
        .answer::<Operation, OperationView>(api, project, "operations")
        .await
}

pub async fn get(State(api): State<Api>, Referenced(project, id): Referenced) -> Answer<Json<OperationView>> {
    let operation = api.surface.get_operation(&project, &parse_id(&id)?).await?;
    Ok(Json(OperationView::from(&operation)))
}

pub async fn cancel(State(api): State<Api>, Referenced(project, id): Referenced) -> Answer<Response> {
    let operation = api.surface.cancel_operation(&project, &parse_id(&id)?).await?;
    let subject = json!({"cluster": operation.subject_name, "clusterId": operation.subject.id});
    let note = Note::of(&operation.id, &operation.id).change(subject);
    Ok(note.on(Json(OperationView::from(&operation))))
}

pub async fn watch(
    State(api): State<Api>,
    Referenced(project, id): Referenced,
    seat: Seat,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let operations = api.surface.watch_operation(&project, &parse_id(&id)?).await?;
    let events = until_final(operations).take_until(seat.over()).map(|operation| {
        let view = OperationView::from(&operation);
        let data = serde_json::to_string(&view).unwrap_or_default();
        Ok(Event::default().event("operation").data(data))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// Ends after the first operation that has ended.
fn until_final(operations: BoxStream<'static, Operation>) -> impl Stream<Item = Operation> {
    stream::unfold(Some(operations), |operations| async {
        let mut operations = operations?;
        let operation = operations.next().await?;
        let rest = (!operation.state.is_final()).then_some(operations);
        Some((operation, rest))
    })
}
