//! `/secrets`: values come and go in base 64; none is in a note for the audit log.

use api::{
    secret::{SecretCreate, SecretList, SecretUpdate, SecretValue, SecretView},
    spec::parse_name,
    tenant::Done,
};
use app::tenants::Revealed;
use axum::{Json, extract::State, http::header, response::Response};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::json;
use types::{Fault, Secret};
use zeroize::Zeroizing;

use crate::{
    answer::{Answer, Asked},
    audit::Note,
    body::Given,
    guard::{By, Referenced, Within},
    router::Api,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Which {
    version: Option<u32>,
}

pub async fn list(State(api): State<Api>, Within(project): Within) -> Answer<Json<SecretList>> {
    let secrets = api.tenants.list_secrets(&project).await?;
    Ok(Json(SecretList {
        secrets: secrets.iter().map(SecretView::from).collect(),
    }))
}

pub async fn create(
    State(api): State<Api>,
    By(principal): By,
    Within(project): Within,
    Given(SecretCreate { name, value }): Given<SecretCreate>,
) -> Answer<Response> {
    let value = decoded(value)?;
    let name = parse_name(&name, "name")?;
    let secret = api
        .tenants
        .create_secret(&principal, &project, name, value)
        .await?;
    let view = SecretView::from(&secret);
    let note = Note::of(&secret.name, &secret.id).change(json!({"version": view.version}));
    Ok(note.on(Json(view)))
}

pub async fn get(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
) -> Answer<Json<SecretView>> {
    let secret = api.tenants.get_secret(&project, &reference).await?;
    Ok(Json(SecretView::from(&secret)))
}

pub async fn reveal(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
    Asked(Which { version }): Asked<Which>,
) -> Answer<Response> {
    let Revealed {
        secret,
        version,
        value,
    } = api.tenants.reveal_secret(&project, &reference, version).await?;
    let note = Note::of(&secret.name, &secret.id).change(json!({"version": version}));
    let shown = SecretValue {
        name: secret.name.to_string(),
        version,
        value: STANDARD.encode(value.expose()),
    };
    Ok(note.on(([(header::CACHE_CONTROL, "no-store")], Json(shown))))
}

pub async fn update(
    State(api): State<Api>,
    By(principal): By,
    Referenced(project, reference): Referenced,
    Given(SecretUpdate { value }): Given<SecretUpdate>,
) -> Answer<Response> {
    let value = decoded(value)?;
    let secret = api
        .tenants
        .update_secret(&principal, &project, &reference, value)
        .await?;
    let view = SecretView::from(&secret);
    let note = Note::of(&secret.name, &secret.id).change(json!({"version": view.version}));
    Ok(note.on(Json(view)))
}

pub async fn delete(State(api): State<Api>, Referenced(project, reference): Referenced) -> Answer<Response> {
    let secret = api.tenants.delete_secret(&project, &reference).await?;
    Ok(Note::of(&secret.name, &secret.id).on(Json(Done {})))
}

/// What is wrong with it is said without showing any of it.
fn decoded(value: String) -> Result<Secret, Fault> {
    let value = Zeroizing::new(value);
    match STANDARD.decode(value.as_bytes()) {
        Ok(bytes) => Ok(Secret::new(bytes)),
        Err(_) => Err(Fault::unfit(
            "secret-encoding",
            "it is not base 64",
            "send the value in base 64, with padding",
        )
        .at("value")),
    }
}
