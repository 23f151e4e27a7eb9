//! `/instances`

use api::instance::InstanceView;
use axum::{Json, extract::State, response::Response};
use types::machine::Machine;

use super::listing::ListAsked;
use crate::{
    answer::Answer,
    guard::{Referenced, Within},
    router::Api,
};

pub async fn list(State(api): State<Api>, Within(project): Within, asked: ListAsked) -> Answer<Response> {
    asked
        .answer::<Machine, InstanceView>(api, project, "instances")
        .await
}

pub async fn get(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
) -> Answer<Json<InstanceView>> {
    let machine = api.surface.get_instance(&project, &reference).await?;
    Ok(Json(InstanceView::from(&machine)))
}
