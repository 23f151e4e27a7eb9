//! `/events`

use api::event::{EventList, EventView};
use axum::{Json, extract::State};
use serde::Deserialize;
use types::Fault;

use crate::{
    answer::{Answer, Asked},
    guard::Within,
    router::Api,
};

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    subject: Option<String>,
    limit: Option<u32>,
}

pub async fn list(
    State(api): State<Api>,
    Within(project): Within,
    Asked(filter): Asked<Filter>,
) -> Answer<Json<EventList>> {
    let limit = filter.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(Fault::invalid(
            "limit-range",
            format!("a limit of {limit} events was asked for"),
            format!("ask for 1 to {MAX_LIMIT}"),
        )
        .into());
    }
    let events = api
        .surface
        .list_events(&project, filter.subject.as_deref(), limit)
        .await?;
    Ok(Json(EventList {
        events: events.iter().map(EventView::from).collect(),
    }))
}
