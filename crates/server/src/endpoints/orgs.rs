//! `/orgs`

use api::{
    spec::parse_name,
    tenant::{Done, OrgCreate, OrgList, OrgView, ProjectCreate, ProjectView},
};
use axum::{Json, extract::State, response::Response};
use serde_json::json;
use types::{Findings, tenant::Role};

use super::unread;
use crate::{
    answer::Answer,
    audit::Note,
    body::Given,
    guard::{By, InOrg},
    router::Api,
    terms::revised,
};

/// Enough for a team, not enough to fill a platform.
const MAX_PROJECTS: u32 = 10;

pub async fn list(State(api): State<Api>, By(principal): By) -> Answer<Json<OrgList>> {
    let orgs = api.tenants.list_orgs(&principal).await?;
    Ok(Json(OrgList {
        orgs: orgs.iter().map(OrgView::from).collect(),
    }))
}

pub async fn create(State(api): State<Api>, Given(request): Given<OrgCreate>) -> Answer<Response> {
    let name = parse_name(&request.name, "name")?;
    let max_projects = request.max_projects.unwrap_or(MAX_PROJECTS);
    let org = api.tenants.create_org(name, max_projects).await?;
    Ok(Note::of(&org.name, &org.id).on(Json(OrgView::from(&org))))
}

pub async fn get(InOrg(org): InOrg) -> Response {
    revised(&org, Json(OrgView::from(&org)))
}

pub async fn delete(State(api): State<Api>, InOrg(org): InOrg) -> Answer<Json<Done>> {
    api.tenants.delete_org(&org.id).await?;
    Ok(Json(Done {}))
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
