//! `/events`

use api::event::{EventList, EventView};
use axum::{Json, extract::State};
use serde::Deserialize;

use super::listing::{PageAsked, next};
use crate::{
    answer::{Answer, Asked},
    guard::Within,
    router::Api,
    token::Question,
};

#[derive(Debug, Deserialize)]
pub struct Filter {
    subject: Option<String>,
}

pub async fn list(
    State(api): State<Api>,
    Within(project): Within,
    Asked(filter): Asked<Filter>,
    asked: PageAsked,
) -> Answer<Json<EventList>> {
    let question = Question::new("events")
        .and(project.as_str())
        .and(filter.subject.as_deref().unwrap_or_default());
    let part = asked.part(&question)?;
    let page = api
        .lists
        .events(&project, filter.subject.as_deref(), &part)
        .await?;
    Ok(Json(EventList {
        next: next(&question, &page),
        events: page.items.iter().map(EventView::from).collect(),
    }))
}
