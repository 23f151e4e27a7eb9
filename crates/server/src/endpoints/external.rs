//! Logging in at a provider: which there are, begin, complete.

use api::tenant::{
    LoginBegin, LoginBegun, LoginComplete, LoginFlow, LoginProgress, LoginProviderView, LoginProviders,
};
use app::tenants::Presented;
use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use oidc::{Asserted, Begun, Flow, Outcome};
use serde_json::json;
use types::{Fault, Secret};

use super::login::{signed_in, token_pair};
use crate::{answer::Answer, audit::Note, body::Given, router::Api};

pub async fn list(State(api): State<Api>) -> Json<LoginProviders> {
    let view = |settings: &oidc::Settings| LoginProviderView {
        name: settings.name.clone(),
        issuer: settings.issuer.clone(),
        device: settings.device,
    };
    Json(LoginProviders {
        password: api.tenants.doors().password,
        providers: api.logins.providers().map(view).collect(),
    })
}

pub async fn begin(State(api): State<Api>, Given(request): Given<LoginBegin>) -> Answer<Response> {
    let flow = match (request.flow, request.redirect_port) {
        (LoginFlow::Browser, Some(port)) if port > 0 => Flow::Browser { port },
        (LoginFlow::Device, None) => Flow::Device,
        (LoginFlow::Browser, _) | (LoginFlow::Device, Some(_)) => {
            return Err(Fault::unfit(
                "redirect-port",
                "a browser comes back to a port, and a device to none",
                "send the port that is listened on with flow 'browser', and leave it out with 'device'",
            )
            .at("redirectPort")
            .into());
        }
    };
    let begun = api.logins.begin(&request.provider, flow).await?;
    let note = Note {
        change: Some(json!({"provider": request.provider, "flow": request.flow})),
        ..Note::default()
    };
    Ok(note.on(([(header::CACHE_CONTROL, "no-store")], Json(view(begun)))))
}

pub async fn complete(State(api): State<Api>, Given(request): Given<LoginComplete>) -> Answer<Response> {
    let answer = match (request.state, request.code) {
        (Some(state), Some(code)) => Some((Secret::new(state), Secret::new(code))),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => {
            return Err(Fault::unfit(
                "code-and-state",
                "a browser comes back with both a code and a state",
                "send both, or neither for a device",
            )
            .into());
        }
    };
    let login = Secret::new(request.login);
    let asserted = match api.logins.complete(&login, answer).await? {
        Outcome::Done(asserted) => asserted,
        Outcome::Pending { retry_after_s } => {
            let body = LoginProgress {
                tokens: None,
                retry_after: Some(retry_after_s),
            };
            return Ok(([(header::CACHE_CONTROL, "no-store")], Json(body)).into_response());
        }
    };
    let presented = presented(asserted);
    let invitation = request.invitation.map(Secret::new);
    let pair = api
        .tenants
        .login_presented(&presented, invitation.as_ref(), request.project.as_deref())
        .await?;
    let body = LoginProgress {
        tokens: Some(token_pair(&pair)),
        retry_after: None,
    };
    let note = signed_in(&pair).change(json!({
        "provider": presented.provider, "issuer": presented.issuer, "subject": presented.subject,
    }));
    Ok(note.on(([(header::CACHE_CONTROL, "no-store")], Json(body))))
}

fn presented(asserted: Asserted) -> Presented {
    let Asserted {
        provider,
        issuer,
        subject,
        email,
        email_verified,
        groups,
    } = asserted;
    Presented {
        provider,
        issuer,
        subject,
        email,
        email_verified,
        groups,
    }
}

fn view(begun: Begun) -> LoginBegun {
    match begun {
        Begun::Browser {
            login,
            state,
            url,
            expires_in_s,
        } => LoginBegun {
            login: login.reveal(),
            expires_in: expires_in_s,
            authorization_url: Some(url),
            state: Some(state.reveal()),
            user_code: None,
            verification_uri: None,
            verification_uri_complete: None,
        },
        Begun::Device {
            login,
            user_code,
            verification_uri,
            verification_uri_complete,
            expires_in_s,
        } => LoginBegun {
            login: login.reveal(),
            expires_in: expires_in_s,
            authorization_url: None,
            state: None,
            user_code: Some(user_code),
            verification_uri: Some(verification_uri),
            verification_uri_complete,
        },
    }
}
