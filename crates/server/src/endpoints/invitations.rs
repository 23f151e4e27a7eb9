//! Invitations that wait to be taken up: of a project, of an organisation with its projects, of the whole platform.

use api::tenant::{Done, InvitationList, InvitationView};
use axum::{Json, extract::State};
use types::tenant::Place;

use crate::{
    answer::{Answer, At},
    guard::{Entry, InOrg},
    router::Api,
};

pub async fn of_platform(State(api): State<Api>) -> Answer<Json<InvitationList>> {
    listed(&api, &Place::Platform).await
}

pub async fn of_org(State(api): State<Api>, InOrg(org): InOrg) -> Answer<Json<InvitationList>> {
    listed(&api, &Place::Org(org.id)).await
}

pub async fn of_project(State(api): State<Api>, Entry(entered): Entry) -> Answer<Json<InvitationList>> {
    let place = Place::Project(entered.project.org, entered.project.id);
    listed(&api, &place).await
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

async fn listed(api: &Api, place: &Place) -> Answer<Json<InvitationList>> {
    let waiting = api.tenants.list_invitations(place).await?;
    Ok(Json(InvitationList {
        invitations: waiting.iter().map(InvitationView::from).collect(),
    }))
}

async fn withdraw(api: &Api, place: &Place, invitation: &str) -> Answer<Json<Done>> {
    api.tenants.withdraw(place, invitation).await?;
    Ok(Json(Done {}))
}
