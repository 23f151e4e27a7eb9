//! `/admin/users`: everybody the platform knows.

use api::{
    moment,
    tenant::{Done, Invite, MemberList, ResetView},
};
use app::tenants::Reset;
use axum::{Json, extract::State, http::header, response::Response};
use types::tenant::Place;

use super::{listing::PageAsked, members};
use crate::{
    answer::{Answer, At},
    audit::Note,
    body::Given,
    guard::By,
    router::Api,
    token::Question,
};

pub async fn list(State(api): State<Api>, asked: PageAsked) -> Answer<Json<MemberList>> {
    members::listed(&api, &Place::Platform, &asked, &Question::new("users")).await
}

pub async fn invite(
    State(api): State<Api>,
    By(principal): By,
    Given(request): Given<Invite>,
) -> Answer<Response> {
    members::invite(&api, &principal, Place::Platform, &request).await
}

pub async fn delete(State(api): State<Api>, At(member): At<String>) -> Answer<Response> {
    let user = api.tenants.delete_user(&member).await?;
    Ok(Note::of(&user.email, &user.id).on(Json(Done {})))
}

pub async fn offer_reset(State(api): State<Api>, At(member): At<String>) -> Answer<Response> {
    let Reset { user, code, expires } = api.tenants.offer_reset(&member).await?;
    let body = ResetView {
        email: user.email.to_string(),
        code: code.reveal(),
        expires: moment::to_wire(expires),
    };
    Ok(Note::of(&user.email, &user.id).on(([(header::CACHE_CONTROL, "no-store")], Json(body))))
}
