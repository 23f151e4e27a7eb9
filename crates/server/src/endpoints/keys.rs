//! `/admin/keys`

use api::{
    keys::{KeyList, KeyView},
    problem::FaultView,
};
use axum::{Json, extract::State, response::Response};
use serde_json::json;

use crate::{
    answer::{Answer, accepted},
    audit::Note,
    router::Api,
};

pub async fn list(State(api): State<Api>) -> Answer<Json<KeyList>> {
    Ok(Json(view(&api).await?))
}

pub async fn rotate(State(api): State<Api>) -> Answer<Response> {
    api.keys.begin().await?;
    let keys = view(&api).await?;
    let newest = keys.keys.last().map(|key| key.mark.clone()).unwrap_or_default();
    let old: Vec<&String> = keys
        .keys
        .iter()
        .filter(|key| !key.seals)
        .map(|key| &key.mark)
        .collect();
    let change = json!({"newest": newest, "old": old});
    Ok(Note::of(&newest, &newest).change(change).on(accepted(keys)))
}

async fn view(api: &Api) -> Answer<KeyList> {
    let keys = api.keys.keys().await?;
    Ok(KeyList {
        keys: keys
            .into_iter()
            .map(|key| KeyView {
                mark: key.mark.to_string(),
                seals: key.newest,
                rows: key.rows,
            })
            .collect(),
        trouble: api.keys.trouble().as_ref().map(FaultView::from),
    })
}
