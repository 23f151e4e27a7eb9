//! `/ssh-keys`, and `/instances/{instance}/ssh`.

use api::{
    moment,
    spec::parse_name,
    ssh::{SshAccess, SshKeyCreate, SshKeyList, SshKeyView, SshRequest, SshTunnel},
    tenant::Done,
};
use axum::{Json, extract::State, response::Response};
use cluster::ssh::PublicKey;
use serde_json::json;
use types::Fault;

use crate::{
    answer::{Answer, At},
    audit::Note,
    body::Given,
    guard::{By, Referenced},
    router::Api,
};

pub async fn list_keys(State(api): State<Api>, By(principal): By) -> Answer<Json<SshKeyList>> {
    let keys = api.tenants.list_ssh_keys(&principal).await?;
    Ok(Json(SshKeyList {
        ssh_keys: keys.iter().map(SshKeyView::from).collect(),
    }))
}

pub async fn add_key(
    State(api): State<Api>,
    By(principal): By,
    Given(request): Given<SshKeyCreate>,
) -> Answer<Response> {
    let public = PublicKey::parse(&request.public).map_err(Fault::from)?;
    let name = parse_name(&request.name, "name")?;
    let key = api.tenants.add_ssh_key(&principal, name, &public).await?;
    let note = Note::of(&key.name, &key.id).change(json!({"fingerprint": key.fingerprint}));
    Ok(note.on(Json(SshKeyView::from(&key))))
}

pub async fn delete_key(
    State(api): State<Api>,
    By(principal): By,
    At(reference): At<String>,
) -> Answer<Response> {
    let key = api.tenants.delete_ssh_key(&principal, &reference).await?;
    let note = Note::of(&key.name, &key.id).change(json!({"fingerprint": key.fingerprint}));
    Ok(note.on(Json(Done {})))
}

pub async fn enter(
    State(api): State<Api>,
    By(principal): By,
    Referenced(project, reference): Referenced,
    Given(request): Given<SshRequest>,
) -> Answer<Response> {
    let public = match (request.key, request.public) {
        (Some(name), None) => api.tenants.get_ssh_key(&principal, &name).await?.public,
        (None, Some(public)) => public,
        _ => {
            return Err(Fault::unfit(
                "ssh-key-missing",
                "neither or both of 'key' and 'public' are given",
                "name a key of yours, or send the public key that was made for this",
            )
            .into());
        }
    };
    let public = PublicKey::parse(&public).map_err(Fault::from)?;
    let pass = api.surface.ssh(&principal, &project, &reference, &public).await?;
    let ticket = api
        .tenants
        .ssh_ticket(&principal, &project, &pass.machine.id)
        .await?;
    let note = Note::of(&pass.machine.hostname, &pass.machine.id).change(json!({
        "user": pass.user,
        "key": pass.fingerprint,
        "serial": pass.serial,
        "until": moment::to_wire(pass.expires),
    }));
    Ok(note.on(Json(SshAccess {
        instance: pass.machine.id.to_string(),
        user: pass.user.to_owned(),
        certificate: pass.certificate,
        host_key: pass.host_key,
        expires: moment::to_wire(pass.expires),
        tunnel: SshTunnel {
            endpoint: pass.endpoint.to_string(),
            server_name: pass.server_name,
            authorities: pass.authorities,
            ticket: ticket.token.reveal(),
        },
    })))
}
