//! Who has a role, in an organisation or a project.

use api::{
    moment,
    tenant::{Done, GrantView, Invite, InvitedView, MemberList, MemberView},
};
use app::tenants::{Invited, Member};
use axum::{Json, extract::State, response::Response};
use serde_json::json;
use types::{
    Email, Fault, Findings,
    access::Principal,
    email::EmailError,
    tenant::{Place, Role, RoleError},
};

use super::{
    listing::{PageAsked, next},
    unread,
};
use crate::{
    answer::{Answer, At},
    audit::Note,
    body::Given,
    guard::{By, Entry, InOrg},
    router::Api,
    token::Question,
};

pub async fn of_org(State(api): State<Api>, InOrg(org): InOrg, asked: PageAsked) -> Answer<Json<MemberList>> {
    let question = Question::new("members").and(org.id.as_str());
    listed(&api, &Place::Org(org.id), &asked, &question).await
}

pub async fn of_project(
    State(api): State<Api>,
    Entry(entered): Entry,
    asked: PageAsked,
) -> Answer<Json<MemberList>> {
    let question = Question::new("members").and(entered.project.id.as_str());
    let place = Place::Project(entered.project.org, entered.project.id);
    listed(&api, &place, &asked, &question).await
}

pub async fn invite_to_org(
    State(api): State<Api>,
    By(principal): By,
    InOrg(org): InOrg,
    Given(request): Given<Invite>,
) -> Answer<Response> {
    invite(&api, &principal, Place::Org(org.id), &request).await
}

pub async fn invite_to_project(
    State(api): State<Api>,
    By(principal): By,
    Entry(entered): Entry,
    Given(request): Given<Invite>,
) -> Answer<Response> {
    let place = Place::Project(entered.project.org, entered.project.id);
    invite(&api, &principal, place, &request).await
}

pub async fn remove_from_org(
    State(api): State<Api>,
    InOrg(org): InOrg,
    At((_, member)): At<(String, String)>,
) -> Answer<Json<Done>> {
    api.tenants.remove_member(&Place::Org(org.id), &member).await?;
    Ok(Json(Done {}))
}

pub async fn remove_from_project(
    State(api): State<Api>,
    Entry(entered): Entry,
    At((_, member)): At<(String, String)>,
) -> Answer<Json<Done>> {
    let place = Place::Project(entered.project.org, entered.project.id);
    api.tenants.remove_member(&place, &member).await?;
    Ok(Json(Done {}))
}

pub(super) async fn invite(
    api: &Api,
    principal: &Principal,
    place: Place,
    request: &Invite,
) -> Answer<Response> {
    let mut found = Findings::default();
    let email = request.email.parse().map_err(|cause: EmailError| {
        Fault::invalid(
            "email-invalid",
            cause.to_string(),
            "give an address such as ana@acme.example",
        )
        .at("email")
    });
    let role = request.role.parse().map_err(|cause: RoleError| {
        Fault::invalid(
            "role-invalid",
            cause.to_string(),
            "give project_viewer, project_member, project_admin, org_admin or platform_admin",
        )
        .at("role")
    });
    let email: Option<Email> = found.keep(email);
    let role: Option<Role> = found.keep(role);
    found.verdict()?;
    let (email, role) = email.zip(role).ok_or_else(unread)?;
    let Invited { invitation, code } = api.tenants.invite(principal, place, role, email).await?;
    let change = json!({"email": invitation.email, "role": invitation.grant.role});
    let note = Note::of(&invitation.email, &invitation.id).change(change);
    Ok(note.on(Json(InvitedView {
        id: invitation.id.to_string(),
        email: invitation.email.to_string(),
        grant: GrantView::from(&invitation.grant),
        code: code.reveal(),
        expires: moment::to_wire(invitation.expires),
    })))
}

pub(super) async fn listed(
    api: &Api,
    place: &Place,
    asked: &PageAsked,
    question: &Question,
) -> Answer<Json<MemberList>> {
    let part = asked.part(question)?;
    let page = api.tenants.page_members(place, &part).await?;
    let shown = |Member { id, email, grants }: Member| MemberView {
        id: id.to_string(),
        email: email.to_string(),
        grants: grants.iter().map(GrantView::from).collect(),
    };
    Ok(Json(MemberList {
        next: next(question, &page),
        members: page.items.into_iter().map(shown).collect(),
    }))
}
