//! `/instances`

use api::instance::{InstanceList, InstanceView};
use axum::{Json, extract::State};

use crate::{
    answer::Answer,
    guard::{Referenced, Within},
    router::Api,
};

pub async fn list(State(api): State<Api>, Within(project): Within) -> Answer<Json<InstanceList>> {
    let machines = api.surface.list_instances(&project).await?;
    Ok(Json(InstanceList {
        instances: machines.iter().map(InstanceView::from).collect(),
    }))
}

pub async fn get(
    State(api): State<Api>,
    Referenced(project, reference): Referenced,
) -> Answer<Json<InstanceView>> {
    let machine = api.surface.get_instance(&project, &reference).await?;
    Ok(Json(InstanceView::from(&machine)))
}
