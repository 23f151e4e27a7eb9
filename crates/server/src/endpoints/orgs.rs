//! `/orgs`

use api::{
    spec::parse_name,
    tenant::{Done, OrgCreate, OrgList, OrgUsageView, OrgView, ProjectCreate, ProjectView, QuotaView},
};
use app::terms::of_org_quota;
use axum::{Json, extract::State, response::Response};
use serde_json::json;
use types::{
    Findings,
    tenant::{Quota, Role},
};

use super::{
    listing::{PageAsked, next},
    projects::lines,
    unread,
};
use crate::{
    answer::Answer,
    audit::Note,
    body::Given,
    guard::{By, InOrg},
    router::Api,
    terms::{at, revised},
    token::Question,
};

/// Enough for a team, not enough to fill a platform.
const MAX_PROJECTS: u32 = 10;

pub async fn list(State(api): State<Api>, By(principal): By, asked: PageAsked) -> Answer<Json<OrgList>> {
    let question = Question::new("orgs");
    let part = asked.part(&question)?;
    let page = api.tenants.list_orgs(&principal, &part).await?;
    Ok(Json(OrgList {
        next: next(&question, &page),
        orgs: page.items.iter().map(OrgView::from).collect(),
    }))
}

pub async fn create(State(api): State<Api>, Given(request): Given<OrgCreate>) -> Answer<Response> {
    let mut found = Findings::default();
    let name = found.keep(parse_name(&request.name, "name"));
    let max_projects = request.max_projects.unwrap_or(MAX_PROJECTS);
    let given = request.quota.unwrap_or_else(QuotaView::of_a_team);
    let quota = given.parse("quota.", &mut found);
    found.verdict()?;
    let name = name.ok_or_else(unread)?;
    let org = api.tenants.create_org(name, max_projects, quota).await?;
    let note = Note::of(&org.name, &org.id).change(json!({"quota": given}));
    Ok(note.on(Json(OrgView::from(&org))))
}

pub async fn get(InOrg(org): InOrg) -> Response {
    revised(&org, Json(OrgView::from(&org)))
}

pub async fn delete(State(api): State<Api>, InOrg(org): InOrg) -> Answer<Json<Done>> {
    api.tenants.delete_org(&org.id).await?;
    Ok(Json(Done {}))
}

pub async fn usage(State(api): State<Api>, InOrg(org): InOrg) -> Answer<Response> {
    let usage = api.surface.org_usage(&org.id).await?;
    let view = OrgUsageView {
        org: org.name.to_string(),
        usage: lines(&usage, &org.quota),
    };
    Ok(at(of_org_quota(&org), Json(view)))
}

pub async fn set_quota(
    State(api): State<Api>,
    InOrg(org): InOrg,
    Given(request): Given<QuotaView>,
) -> Answer<Response> {
    let quota = Quota::try_from(&request)?;
    let org = api.tenants.set_org_quota(&org.id, quota).await?;
    let note = Note::of(&org.name, &org.id).change(json!({"quota": request}));
    Ok(note.on(Json(OrgView::from(&org))))
}

pub async fn create_project(
    State(api): State<Api>,
    By(principal): By,
    InOrg(org): InOrg,
    Given(request): Given<ProjectCreate>,
) -> Answer<Response> {
    let mut found = Findings::default();
    let name = found.keep(parse_name(&request.name, "name"));
    let quota = request.quota.parse("quota.", &mut found);
    found.verdict()?;
    let name = name.ok_or_else(unread)?;
    let project = api
        .tenants
        .create_project(&principal, &org.id, name, quota)
        .await?;
    let role = principal.role_in_project(&project.org, &project.id);
    let note = Note::of(&project.name, &project.id).change(json!({"quota": request.quota}));
    Ok(note.on(Json(ProjectView::of(&project, role.unwrap_or(Role::OrgAdmin)))))
}
