//! `/networks`

use api::{
    network::{NetworkAccepted, NetworkApply, NetworkCreate, NetworkView},
    operation::OperationView,
    spec::parse_cidr,
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use serde_json::json;
use types::{Findings, network::Network};

use super::{begun, called, listing::ListAsked, unread};
use crate::{
    answer::{Answer, accepted},
    audit::Note,
    body::Given,
    guard::{Referenced, Within},
    router::Api,
    terms::revised,
};

pub async fn list(State(api): State<Api>, Within(project): Within, asked: ListAsked) -> Answer<Response> {
    asked
        .answer::<Network, NetworkView>(api, project, "networks")
        .await
}

pub async fn create(
    State(api): State<Api>,
    Within(project): Within,
    Given(request): Given<NetworkCreate>,
) -> Answer<Response> {
    let mut found = Findings::default();
    let called = called(&request.name, request.labels, &mut found);
    let cidr = found.keep(parse_cidr(&request.cidr, "cidr"));
    found.verdict()?;
    let (called, cidr) = called.zip(cidr).ok_or_else(unread)?;
    let (network, operation) = api.surface.create_network(&project, called, cidr).await?;
    let change = json!({"operation": operation.id, "cidr": network.cidr});
    let note = Note::of(&network.name, &network.id).change(change);
    Ok(note.on(accepted(NetworkAccepted {
        network: NetworkView::from(&network),
        operation: OperationView::from(&operation),
    })))
}

pub async fn apply(
    State(api): State<Api>,
    Referenced(project, name): Referenced,
    Given(request): Given<NetworkApply>,
) -> Answer<Response> {
    let mut found = Findings::default();
    let called = called(&name, request.labels, &mut found);
    let cidr = found.keep(parse_cidr(&request.cidr, "cidr"));
    found.verdict()?;
    let (called, cidr) = called.zip(cidr).ok_or_else(unread)?;
    let applied = api.surface.apply_network(&project, called, cidr).await?;
    let change = match &applied.operation {
        Some(operation) => json!({"operation": operation.id, "cidr": applied.network.cidr}),
        None => json!({"labels": applied.network.labels}),
    };
    let note = Note::of(&applied.network.name, &applied.network.id).change(change);
    let body = api::network::NetworkApplied {
        network: NetworkView::from(&applied.network),
        operation: applied.operation.as_ref().map(OperationView::from),
    };
    Ok(note.on(if body.operation.is_some() {
        accepted(body)
    } else {
        Json(body).into_response()
    }))
}

pub async fn get(State(api): State<Api>, Referenced(project, reference): Referenced) -> Answer<Response> {
    let network = api.surface.get_network(&project, &reference).await?;
    Ok(revised(&network, Json(NetworkView::from(&network))))
}

pub async fn delete(State(api): State<Api>, Referenced(project, reference): Referenced) -> Answer<Response> {
    let operation = api.surface.delete_network(&project, &reference).await?;
    Ok(begun(&operation))
}
