//! `/projects` themselves, not what is in them

use api::tenant::{Done, ProjectList, ProjectView, QuotaView, UsageLine, UsageView};
use app::{
    quota::{Line, Usage},
    terms::of_quota,
};
use axum::{Json, extract::State, response::Response};
use serde_json::json;
use types::tenant::Quota;

use super::listing::{PageAsked, next};
use crate::{
    answer::Answer,
    audit::Note,
    body::Given,
    guard::{By, Entry, Within},
    router::Api,
    terms::{at, revised},
    token::Question,
};

pub async fn list(State(api): State<Api>, By(principal): By, asked: PageAsked) -> Answer<Json<ProjectList>> {
    let question = Question::new("projects");
    let part = asked.part(&question)?;
    let page = api.tenants.page_projects(&principal, &part).await?;
    Ok(Json(ProjectList {
        next: next(&question, &page),
        projects: page
            .items
            .iter()
            .map(|entered| ProjectView::of(&entered.project, entered.role))
            .collect(),
    }))
}

pub async fn get(Entry(entered): Entry) -> Response {
    let view = ProjectView::of(&entered.project, entered.role);
    revised(&entered.project, Json(view))
}

pub async fn delete(State(api): State<Api>, Within(project): Within) -> Answer<Json<Done>> {
    api.tenants.delete_project(&project).await?;
    Ok(Json(Done {}))
}

pub async fn usage(State(api): State<Api>, Entry(entered): Entry) -> Answer<Response> {
    let usage = api.surface.usage(&entered.project.id).await?;
    let view = UsageView {
        project: entered.project.name.to_string(),
        usage: lines(&usage, &entered.project.quota),
    };
    Ok(at(of_quota(&entered.project), Json(view)))
}

pub(super) fn lines(usage: &Usage, quota: &Quota) -> Vec<UsageLine> {
    let shown = |line: Line| UsageLine {
        resource: line.resource.to_owned(),
        used: line.used,
        limit: line.limit,
    };
    usage.lines(quota).into_iter().map(shown).collect()
}

pub async fn set_quota(
    State(api): State<Api>,
    Entry(entered): Entry,
    Given(request): Given<QuotaView>,
) -> Answer<Response> {
    let quota = Quota::try_from(&request)?;
    let project = api.tenants.set_quota(&entered.project.id, quota).await?;
    let note = Note::of(&project.name, &project.id).change(json!({"quota": request}));
    Ok(note.on(Json(ProjectView::of(&project, entered.role))))
}
