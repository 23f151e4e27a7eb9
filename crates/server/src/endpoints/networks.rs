//! `/networks`

use api::{
    network::{NetworkAccepted, NetworkCreate, NetworkList, NetworkView},
    operation::OperationView,
    spec::{parse_cidr, parse_name},
};
use axum::{Json, extract::State, response::Response};
use serde_json::json;
use types::Findings;

use super::{begun, unread};
use crate::{
    answer::{Answer, accepted},
    audit::Note,
    body::Given,
    guard::{Referenced, Within},
    router::Api,
    terms::revised,
};

pub async fn list(State(api): State<Api>, Within(project): Within) -> Answer<Json<NetworkList>> {
    let networks = api.surface.list_networks(&project).await?;
    Ok(Json(NetworkList {
        networks: networks.iter().map(NetworkView::from).collect(),
    }))
}

pub async fn create(
    State(api): State<Api>,
    Within(project): Within,
    Given(request): Given<NetworkCreate>,
) -> Answer<Response> {
    let mut found = Findings::default();
    let name = found.keep(parse_name(&request.name, "name"));
    let cidr = found.keep(parse_cidr(&request.cidr, "cidr"));
    found.verdict()?;
    let (name, cidr) = name.zip(cidr).ok_or_else(unread)?;
    let (network, operation) = api.surface.create_network(&project, name, cidr).await?;
    let change = json!({"operation": operation.id, "cidr": network.cidr});
    let note = Note::of(&network.name, &network.id).change(change);
    Ok(note.on(accepted(NetworkAccepted {
        network: NetworkView::from(&network),
        operation: OperationView::from(&operation),
    })))
}

pub async fn get(State(api): State<Api>, Referenced(project, reference): Referenced) -> Answer<Response> {
    let network = api.surface.get_network(&project, &reference).await?;
    Ok(revised(&network, Json(NetworkView::from(&network))))
}

pub async fn delete(State(api): State<Api>, Referenced(project, reference): Referenced) -> Answer<Response> {
    let operation = api.surface.delete_network(&project, &reference).await?;
    Ok(begun(&operation))
}
