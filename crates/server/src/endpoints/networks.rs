//! `/networks`

use api::{
    network::{NetworkAccepted, NetworkCreate, NetworkList, NetworkView},
    operation::OperationView,
    spec::parse_name,
};
use axum::{Json, extract::State, response::Response};
use serde_json::json;
use types::{Cidr, Fault};

use super::begun;
use crate::{
    answer::{Answer, Given, accepted},
    audit::Note,
    guard::{Referenced, Within},
    router::Api,
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
    let name = parse_name(&request.name, "name")?;
    let cidr: Cidr = request.cidr.parse().map_err(|cause| {
        Fault::invalid(
            "cidr-invalid",
            format!("cidr: {cause}"),
            "give a private IPv4 range in canonical form, such as 10.20.0.0/16",
        )
    })?;
    let (network, operation) = api.surface.create_network(&project, name, cidr).await?;
    let change = json!({"operation": operation.id, "cidr": network.cidr});
    let note = Note::of(&network.name, &network.id).change(change);
    Ok(note.on(accepted(NetworkAccepted {
        network: NetworkView::from(&network),
        operation: OperationView::from(&operation),
    })))
}

pub async fn get(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
) -> Answer<Json<NetworkView>> {
    let network = api.surface.get_network(&project, &reference).await?;
    Ok(Json(NetworkView::from(&network)))
}

pub async fn delete(State(api): State<Api>, Referenced(project, reference): Referenced) -> Answer<Response> {
    let operation = api.surface.delete_network(&project, &reference).await?;
    Ok(begun(&operation))
}
