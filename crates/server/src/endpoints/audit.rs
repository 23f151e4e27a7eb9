//! `/audit`

use api::{
    audit::{AuditList, AuditView, VerdictView},
    moment,
};
use app::tenants::Entered;
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
    guard::{By, Entry, InOrg},
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

/// Of everything.
pub async fn list(
    State(api): State<Api>,
    By(principal): By,
    Asked(filter): Asked<Filter>,
    asked: PageAsked,
) -> Answer<Json<AuditList>> {
    let project = match &filter.project {
        Some(project) => Some(api.tenants.enter(&principal, project).await?.project.id),
        None => None,
    };
    let within = AuditFilter {
        project: project.map(String::from),
        org: filter.org.clone(),
        ..AuditFilter::default()
    };
    filter.page(&api, within, &asked).await
}

pub async fn list_org(
    State(api): State<Api>,
    InOrg(org): InOrg,
    Asked(filter): Asked<Filter>,
    asked: PageAsked,
) -> Answer<Json<AuditList>> {
    let within = AuditFilter {
        org: Some(org.id.to_string()),
        ..AuditFilter::default()
    };
    filter.page(&api, within, &asked).await
}

/// What happened inside: of whoever was not let in only the name of a project is known, and that they chose themselves.
pub async fn list_project(
    State(api): State<Api>,
    Entry(Entered { project, .. }): Entry,
    Asked(filter): Asked<Filter>,
    asked: PageAsked,
) -> Answer<Json<AuditList>> {
    let within = AuditFilter {
        project: Some(project.id.to_string()),
        org: Some(project.org.to_string()),
        ..AuditFilter::default()
    };
    filter.page(&api, within, &asked).await
}

impl Filter {
    async fn page(self, api: &Api, within: AuditFilter, asked: &PageAsked) -> Answer<Json<AuditList>> {
        let text = |given: &Option<String>| given.clone().unwrap_or_default();
        let question = Question::new("audit")
            .and(text(&self.since))
            .and(text(&self.until))
            .and(text(&self.actor))
            .and(text(&within.project))
            .and(text(&within.org));
        let page = match asked.part(&question)?.after {
            Some(Mark::Number(number)) => Page::Before(number),
            Some(Mark::Name(..)) | None => Page::Newest,
        };
        let filter = AuditFilter {
            since_ms: time(self.since.as_deref(), "since")?,
            until_ms: time(self.until.as_deref(), "until")?,
            actor: self.actor,
            page,
            // One more than asked says whether there is more.
            limit: asked.limit() + 1,
            ..within
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
