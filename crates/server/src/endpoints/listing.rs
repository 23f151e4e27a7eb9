//! What every list has in common: pages, selectors, and watching instead.

use std::{convert::Infallible, fmt::Write};

use api::query::DEFAULT_LIMIT;
use app::{
    listing::{Listed, Notice, Point, Selection, Shown, Told, Watch},
    paged::{Paged, Part},
};
use axum::{
    extract::FromRequestParts,
    http::{HeaderName, header, request::Parts},
    response::{
        IntoResponse, Response,
        sse::{Event, Sse},
    },
};
use futures::{Stream, StreamExt, stream};
use ports::paging::Mark;
use serde::{Deserialize, Serialize};
use types::{Fault, ProjectId};

use crate::{
    answer::{Answer, Asked, Refusal},
    guard::Seat,
    router::Api,
    token::Question,
};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Names and bounds are checked against the table before this is read.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Query {
    limit: Option<u32>,
    cursor: Option<String>,
    label_selector: Option<String>,
    field_selector: Option<String>,
    #[serde(default)]
    watch: bool,
    resume: Option<String>,
}

/// Which page of a list is asked for.
pub struct PageAsked {
    limit: u32,
    cursor: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for PageAsked {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let Asked(query) = Asked::<Query>::from_request_parts(parts, state).await?;
        Ok(Self {
            limit: query.limit.unwrap_or(DEFAULT_LIMIT),
            cursor: query.cursor,
        })
    }
}

impl PageAsked {
    pub fn limit(&self) -> u32 {
        self.limit
    }

    pub fn part(&self, question: &Question) -> Result<Part, Fault> {
        let after = self.cursor.as_deref().map(|cursor| {
            question.decode::<Mark>(cursor).ok_or_else(|| {
                Fault::unfit(
                    "cursor-invalid",
                    "it is not one that this list, with these filters, gave out",
                    "give `next` of the page before, with the same filters; or begin without a cursor",
                )
                .at("cursor")
            })
        });
        Ok(Part {
            after: after.transpose()?,
            limit: self.limit,
        })
    }
}

/// The cursor of the page after this one.
pub fn next<T>(question: &Question, page: &Paged<T>) -> Option<String> {
    page.next.as_ref().map(|mark| question.encode(mark))
}

/// What is asked of a list that can be selected from and watched.
pub struct ListAsked {
    query: Query,
    last_event: Option<String>,
    /// Only of a watch.
    seat: Option<Seat>,
}

impl FromRequestParts<Api> for ListAsked {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Refusal> {
        let Asked(query) = Asked::<Query>::from_request_parts(parts, api).await?;
        let header = parts.headers.get(LAST_EVENT_ID);
        let last_event = header.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let seat = match query.watch {
            true => Some(Seat::from_request_parts(parts, api).await?),
            false => None,
        };
        Ok(Self {
            query,
            last_event,
            seat,
        })
    }
}

impl ListAsked {
    fn selection<T: Listed>(&self) -> Result<Selection, Fault> {
        let wrong = |which: &str, cause: types::selector::SelectorError| {
            let remedy = "see the parameters in the document under /openapi.json";
            Fault::unfit("selector-invalid", cause.to_string(), remedy).at(which)
        };
        let text = |given: &Option<String>| given.clone().unwrap_or_default();
        let labels = text(&self.query.label_selector)
            .parse()
            .map_err(|cause| wrong("labelSelector", cause))?;
        let fields = text(&self.query.field_selector)
            .parse()
            .map_err(|cause| wrong("fieldSelector", cause))?;
        Selection::of::<T>(labels, fields)
    }

    /// What was left out or is empty selects everything, alike.
    fn question<T: Listed>(&self, project: &ProjectId) -> Question {
        let part = |given: &Option<String>| given.as_deref().unwrap_or_default().trim().to_owned();
        Question::new(T::KIND)
            .and(project.as_str())
            .and(part(&self.query.label_selector))
            .and(part(&self.query.field_selector))
    }

    /// A page, or a stream; `name` is that of the items in a page.
    pub async fn answer<T, V>(mut self, api: Api, project: ProjectId, name: &str) -> Answer<Response>
    where
        T: Listed + 'static,
        V: for<'a> From<&'a T> + PartialEq + Serialize + Send + 'static,
    {
        let selection = self.selection::<T>()?;
        let question = self.question::<T>(&project);
        if let Some(seat) = self.seat.take() {
            return self.watch::<T, V>(api, seat, project, selection, question).await;
        }
        if self.query.resume.is_some() {
            return Err(misplaced(
                "resume",
                "it belongs to a watch",
                "add watch=true, or give a cursor",
            )
            .into());
        }
        let asked = PageAsked {
            limit: self.query.limit.unwrap_or(DEFAULT_LIMIT),
            cursor: self.query.cursor,
        };
        let part = asked.part(&question)?;
        let found = api.lists.page::<T, V>(&project, &selection, &part).await?;
        let cursor = next(&question, &found);
        let json = [(header::CONTENT_TYPE, "application/json")];
        Ok((json, page(name, &found.items, cursor)).into_response())
    }

    async fn watch<T, V>(
        self,
        api: Api,
        seat: Seat,
        project: ProjectId,
        selection: Selection,
        question: Question,
    ) -> Answer<Response>
    where
        T: Listed + 'static,
        V: for<'a> From<&'a T> + PartialEq + Serialize + Send + 'static,
    {
        for (name, given) in [
            ("limit", self.query.limit.is_some()),
            ("cursor", self.query.cursor.is_some()),
        ] {
            if given {
                let fault = misplaced(
                    name,
                    "a watch has no pages",
                    "leave it out; `resume` goes on with a watch",
                );
                return Err(fault.into());
            }
        }
        let question = question.and("watch");
        let heard = self.query.resume.or(self.last_event);
        let from = heard.map(|text| {
            question.decode::<Point>(&text).ok_or_else(|| {
                Fault::unfit(
                    "resume-invalid",
                    "it is not the id of an event of this watch, with these filters",
                    "give the id of the last event that was heard, with the same filters; or begin without",
                )
                .at("resume")
            })
        });
        let watch = api
            .lists
            .watch::<T>(&project, selection, from.transpose()?)
            .await?;
        let events = events::<T, V>(watch, question).take_until(seat.over());
        Ok(Sse::new(events).into_response())
    }
}

/// As `ClusterList` and its like are written, of items that are written already.
fn page(name: &str, items: &[Shown], next: Option<String>) -> String {
    let length: usize = items.iter().map(|item| item.len() + 1).sum();
    let mut text = String::with_capacity(length + 400);
    let _ = write!(text, "{{\"{name}\":[");
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        text.push_str(item);
    }
    text.push(']');
    if let Some(next) = next {
        let _ = write!(text, ",\"next\":{}", serde_json::Value::String(next));
    }
    text.push('}');
    text
}

fn misplaced(name: &str, why: &str, remedy: &'static str) -> Fault {
    Fault::unfit("query-misplaced", why, remedy).at(name)
}

/// Ends when the watch cannot go on: whoever takes it up again is told why.
fn events<T, V>(watch: Watch<T>, question: Question) -> impl Stream<Item = Result<Event, Infallible>>
where
    T: Listed + 'static,
    V: for<'a> From<&'a T> + PartialEq + Serialize + Send + 'static,
{
    let pages = stream::unfold(watch, |mut watch| async {
        match watch.next().await {
            Ok(notices) => Some((notices, watch)),
            Err(fault) => {
                tracing::debug!(code = %fault.code, cause = %fault.cause, "a watch ends");
                None
            }
        }
    });
    pages.flat_map(move |notices| {
        let mut told: Vec<_> = notices
            .iter()
            .filter_map(|notice| event::<T, V>(notice, &question))
            .collect();
        // Where nothing of it is shown, the reader still hears that we are here, and how far.
        if let (true, Some(last)) = (told.is_empty(), notices.last()) {
            told.push(bookmark(&question.encode(&last.point)));
        }
        stream::iter(told.into_iter().map(Ok))
    })
}

fn bookmark(id: &str) -> Event {
    Event::default().event("bookmark").id(id).data("{}")
}

/// Nothing where what is shown did not change.
fn event<T, V>(notice: &Notice<T>, question: &Question) -> Option<Event>
where
    V: for<'a> From<&'a T> + PartialEq + Serialize,
{
    let id = question.encode(&notice.point);
    let (name, view) = match &notice.told {
        Told::Added(thing) => ("added", V::from(thing)),
        Told::Modified { before, after } => {
            let view = V::from(after);
            if view == V::from(before) {
                return None;
            }
            ("modified", view)
        }
        Told::Deleted(thing) => ("deleted", V::from(thing)),
        Told::Bookmark => return Some(bookmark(&id)),
    };
    let data = serde_json::to_string(&view).unwrap_or_default();
    Some(Event::default().event(name).id(id).data(data))
}
