//! `/audit`

use api::{
    audit::{AuditList, AuditView, VerdictView},
    moment,
};
use axum::{Json, extract::State};
use ports::{
    audit::{AuditFilter, Page},
    paging::Mark,
};
use serde::Deserialize;
use types::{Fault, audit::Head};

use super::listing::PageAsked;
use crate::{
    answer::{Answer, Asked},
    guard::By,
    router::Api,
    token::Question,
};

#[derive(Debug, Deserialize)]
pub struct Filter {
    since: Option<String>,
    until: Option<String>,
    actor: Option<String>,
    project: Option<String>,
    org: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    known: Option<String>,
}

pub async fn list(
    State(api): State<Api>,
    By(principal): By,
    Asked(filter): Asked<Filter>,
    asked: PageAsked,
) -> Answer<Json<AuditList>> {
    let text = |given: &Option<String>| given.clone().unwrap_or_default();
    let question = Question::new("audit")
        .and(text(&filter.since))
        .and(text(&filter.until))
        .and(text(&filter.actor))
        .and(text(&filter.project))
        .and(text(&filter.org));
    let page = match asked.part(&question)?.after {
        Some(Mark::Number(number)) => Page::Before(number),
        Some(Mark::Name(..)) | None => Page::Newest,
    };
    let project = match &filter.project {
        Some(project) => Some(
            api.tenants
                .enter(&principal, project)
                .await?
                .project
                .id
                .to_string(),
        ),
        None => None,
    };
    let filter = AuditFilter {
        since_ms: time(filter.since.as_deref(), "since")?,
        until_ms: time(filter.until.as_deref(), "until")?,
        actor: filter.actor,
        project,
        org: filter.org,
        page,
        // One more than asked says whether there is more.
        limit: asked.limit() + 1,
    };
    let mut records = api.audit.list(&filter).await?;
    let most = usize::try_from(asked.limit()).unwrap_or(usize::MAX);
    let more = records.len() > most;
    records.truncate(most);
    Ok(Json(AuditList {
        next: records
            .last()
            .filter(|_| more)
            .map(|record| question.encode(&Mark::Number(record.sequence))),
        records: records.iter().map(AuditView::from).collect(),
    }))
}

pub async fn verify(State(api): State<Api>, Asked(asked): Asked<Known>) -> Answer<Json<VerdictView>> {
    let known: Option<Head> = asked
        .known
        .map(|known| known.parse::<Head>())
        .transpose()
        .map_err(|cause| {
            let remedy = "give the number and hash of a record as verify or list showed them";
            Fault::unfit("known-invalid", cause.to_string(), remedy).at("known")
        })?;
    Ok(Json(VerdictView::from(&api.audit.verify(known).await?)))
}

fn time(given: Option<&str>, which: &str) -> Result<Option<i64>, Fault> {
    let Some(given) = given else { return Ok(None) };
    moment::from_wire_ms(given).map(Some).ok_or_else(|| {
        let cause = format!("'{given}' is not a moment");
        Fault::unfit("time-invalid", cause, "give one as 2026-11-15T21:00:00Z").at(which)
    })
}
