//! Logging in and out, and who one is.

use api::{
    routes,
    tenant::{Done, Login, Logout, PasswordChange, PasswordResetRequest, Refresh, TakeUp, TokenPair, WhoAmI},
};
use app::tenants::Pair;
use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde_json::json;
use types::{Fault, Principal, Secret, UserId, audit::Actor};

use crate::{answer::Answer, audit::Note, body::Given, guard::By, router::Api};

pub async fn login(State(api): State<Api>, Given(request): Given<Login>) -> Answer<Response> {
    let password = Secret::new(request.password);
    let pair = api
        .tenants
        .login(&request.email, &password, request.project.as_deref())
        .await?;
    shown(&pair)
}

pub async fn refresh(State(api): State<Api>, Given(request): Given<Refresh>) -> Answer<Response> {
    let token = Secret::new(request.refresh_token);
    shown(&api.tenants.refresh(&token, request.project.as_deref()).await?)
}

pub async fn logout(State(api): State<Api>, Given(request): Given<Logout>) -> Answer<Json<Done>> {
    api.tenants.logout(&Secret::new(request.refresh_token)).await?;
    Ok(Json(Done {}))
}

pub async fn take_up(State(api): State<Api>, Given(request): Given<TakeUp>) -> Answer<Response> {
    let (code, password) = (Secret::new(request.code), Secret::new(request.password));
    shown(&api.tenants.take_up(&code, &password).await?)
}

pub async fn change_password(
    State(api): State<Api>,
    By(principal): By,
    Given(request): Given<PasswordChange>,
) -> Answer<Response> {
    let user = person(&principal, "a service account has no password")?;
    let (current, new) = (Secret::new(request.current), Secret::new(request.password));
    shown(&api.tenants.change_password(&user, &current, &new).await?)
}

pub async fn reset_password(
    State(api): State<Api>,
    Given(request): Given<PasswordResetRequest>,
) -> Answer<Response> {
    let (code, new) = (Secret::new(request.code), Secret::new(request.password));
    shown(&api.tenants.reset_password(&code, &new).await?)
}

pub async fn whoami(By(principal): By) -> Json<WhoAmI> {
    Json(WhoAmI::from(&principal))
}

pub async fn end_sessions(State(api): State<Api>, By(principal): By) -> Answer<Json<Done>> {
    let user = person(&principal, "a service account has no logins")?;
    api.tenants.end_sessions(&user).await?;
    Ok(Json(Done {}))
}

pub async fn jwks(State(api): State<Api>) -> Answer<Response> {
    Ok(Json(api.tenants.key_set().await?).into_response())
}

pub async fn discovery(State(api): State<Api>) -> Json<serde_json::Value> {
    let issuer = api.tenants.issuer();
    Json(json!({
        "issuer": issuer,
        "jwks_uri": format!("{issuer}{}", routes::JWKS),
        "token_endpoint": format!("{issuer}{}", routes::LOGIN),
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "claims_supported": ["iss", "aud", "sub", "email", "org_id", "project_id", "roles", "iat", "exp", "jti"],
    }))
}

fn person(principal: &Principal, cause: &str) -> Result<UserId, Fault> {
    principal.id.parse().map_err(|_| {
        let remedy = "revoke its tokens with `cloud token revoke`";
        Fault::refused("not-a-person", cause, remedy)
    })
}

fn shown(pair: &Pair) -> Answer<Response> {
    Ok(signed_in(pair).on(([(header::CACHE_CONTROL, "no-store")], Json(token_pair(pair)))))
}

pub(super) fn token_pair(pair: &Pair) -> TokenPair {
    TokenPair {
        access_token: pair.access.reveal(),
        expires_in: pair.access_lives_s,
        refresh_token: pair.refresh.reveal(),
    }
}

/// For the log: who it was that logged in.
pub(super) fn signed_in(pair: &Pair) -> Note {
    Note {
        actor: Some(Actor {
            id: pair.user.to_string(),
            name: pair.email.to_string(),
        }),
        ..Note::default()
    }
}
