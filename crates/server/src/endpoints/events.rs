//! `/events`

use api::event::{EventList, EventView};
use axum::{Json, extract::State};
use serde::Deserialize;

use crate::{
    answer::{Answer, Asked, limit},
    guard::Within,
    router::Api,
};

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
    let limit = limit(filter.limit)?;
    let events = api
        .surface
        .list_events(&project, filter.subject.as_deref(), limit)
        .await?;
    Ok(Json(EventList {
        events: events.iter().map(EventView::from).collect(),
    }))
}
