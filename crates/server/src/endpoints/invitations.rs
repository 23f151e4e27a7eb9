//! Invitations that wait to be taken up: of a project, of an organisation with its projects, of the whole platform.

use api::tenant::{Done, InvitationList, InvitationView};
use axum::{Json, extract::State};
use types::tenant::Place;

use super::listing::{PageAsked, next};
use crate::{
    answer::{Answer, At},
    guard::{Entry, InOrg},
    router::Api,
    token::Question,
};

pub async fn of_platform(State(api): State<Api>, asked: PageAsked) -> Answer<Json<InvitationList>> {
    listed(&api, &Place::Platform, &asked, "platform").await
}

pub async fn of_org(
    State(api): State<Api>,
    InOrg(org): InOrg,
    asked: PageAsked,
) -> Answer<Json<InvitationList>> {
    let id = org.id.to_string();
    listed(&api, &Place::Org(org.id), &asked, &id).await
}

pub async fn of_project(
    State(api): State<Api>,
    Entry(entered): Entry,
    asked: PageAsked,
) -> Answer<Json<InvitationList>> {
    let id = entered.project.id.to_string();
    let place = Place::Project(entered.project.org, entered.project.id);
    listed(&api, &place, &asked, &id).await
}

pub async fn withdraw_any(State(api): State<Api>, At(invitation): At<String>) -> Answer<Json<Done>> {
    withdraw(&api, &Place::Platform, &invitation).await
}

pub async fn withdraw_from_org(
    State(api): State<Api>,
    InOrg(org): InOrg,
    At((_, invitation)): At<(String, String)>,
) -> Answer<Json<Done>> {
    withdraw(&api, &Place::Org(org.id), &invitation).await
}

pub async fn withdraw_from_project(
    State(api): State<Api>,
    Entry(entered): Entry,
    At((_, invitation)): At<(String, String)>,
) -> Answer<Json<Done>> {
    let place = Place::Project(entered.project.org, entered.project.id);
    withdraw(&api, &place, &invitation).await
}

/// `id` is the place's.
async fn listed(api: &Api, place: &Place, asked: &PageAsked, id: &str) -> Answer<Json<InvitationList>> {
    let question = Question::new("invitations").and(id);
    let part = asked.part(&question)?;
    let page = api.tenants.page_invitations(place, &part).await?;
    Ok(Json(InvitationList {
        next: next(&question, &page),
        invitations: page.items.iter().map(InvitationView::from).collect(),
    }))
}

async fn withdraw(api: &Api, place: &Place, invitation: &str) -> Answer<Json<Done>> {
    api.tenants.withdraw(place, invitation).await?;
    Ok(Json(Done {}))
}
