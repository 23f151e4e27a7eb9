//! `/audit`

use api::{
    audit::{AuditList, AuditView, VerdictView},
    moment,
};
use axum::{Json, extract::State};
use ports::audit::{AuditFilter, Page};
use serde::Deserialize;
use types::{Fault, audit::Head};

use crate::{
    answer::{Answer, Asked, limit},
    guard::By,
    router::Api,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    since: Option<String>,
    until: Option<String>,
    actor: Option<String>,
    project: Option<String>,
    org: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
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
) -> Answer<Json<AuditList>> {
    let limit = limit(filter.limit)?;
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
    let asked = AuditFilter {
        since_ms: time(filter.since.as_deref(), "since")?,
        until_ms: time(filter.until.as_deref(), "until")?,
        actor: filter.actor,
        project,
        org: filter.org,
        page: page(filter.cursor.as_deref())?,
        limit,
    };
    let records = api.audit.list(&asked).await?;
    let full = u32::try_from(records.len()).is_ok_and(|found| found == limit);
    Ok(Json(AuditList {
        next: records
            .last()
            .filter(|_| full)
            .map(|record| record.sequence.to_string()),
        records: records.iter().map(AuditView::from).collect(),
    }))
}

pub async fn verify(State(api): State<Api>, Asked(asked): Asked<Known>) -> Answer<Json<VerdictView>> {
    let known: Option<Head> = asked
        .known
        .map(|known| known.parse())
        .transpose()
        .map_err(|cause| {
            Fault::invalid(
                "known-invalid",
                format!("known: {cause}"),
                "give the number and hash of a record as verify or list showed them",
            )
        })?;
    Ok(Json(VerdictView::from(&api.audit.verify(known).await?)))
}

fn time(given: Option<&str>, which: &str) -> Result<Option<i64>, Fault> {
    let Some(given) = given else { return Ok(None) };
    moment::from_wire_ms(given).map(Some).ok_or_else(|| {
        Fault::invalid(
            "time-invalid",
            format!("{which}: '{given}' is not a moment"),
            "give one as 2026-11-15T21:00:00Z",
        )
    })
}

fn page(cursor: Option<&str>) -> Result<Page, Fault> {
    let Some(cursor) = cursor else {
        return Ok(Page::Newest);
    };
    cursor.parse().map(Page::Before).map_err(|_| {
        Fault::invalid(
            "cursor-invalid",
            format!("cursor: '{cursor}' is not one of ours"),
            "give the cursor that the page before ended with",
        )
    })
}
