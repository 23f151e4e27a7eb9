//! Doing what was planned, in the cluster. Everything can be done again.

use std::time::Duration;

use kube::{
    Client,
    api::{Api, DeleteParams, Patch, PatchParams, PostParams},
    core::DynamicObject,
};
use serde_json::Value;

use super::{
    live::read,
    object::{Key, Object},
    plan::Act,
};

const FIELD_MANAGER: &str = "cloud-controllers";
const CALL_LIMIT: Duration = Duration::from_secs(10);
const NOT_FOUND: u16 = 404;
const INVALID: u16 = 422;

#[derive(Debug, thiserror::Error)]
pub enum ActError {
    #[error("{0} was not put right")]
    Apply(Key, #[source] kube::Error),
    #[error("{0} was not deleted")]
    Delete(Key, #[source] kube::Error),
    #[error("{0}: there was no answer within {limit} s", limit = CALL_LIMIT.as_secs())]
    TimedOut(Key),
}

/// What an act left: the object as it is now, or none.
pub async fn perform(client: &Client, act: &Act) -> Result<(Key, Option<Value>), ActError> {
    let key = act.key();
    let done = async {
        match act {
            Act::Apply(object) => apply(client, object)
                .await
                .map_err(|error| ActError::Apply(key.clone(), error)),
            Act::Delete(key) => delete(client, key)
                .await
                .map_err(|error| ActError::Delete(key.clone(), error)),
        }
    };
    let left = tokio::time::timeout(CALL_LIMIT, done).await;
    left.unwrap_or_else(|_| Err(ActError::TimedOut(key.clone())))
        .map(|left| (key.clone(), left))
}

/// Applying takes back every field of ours and leaves the labels of others. It also leaves what others added to the
/// rest, which is drift: where that is found the object is written whole. A binding's role cannot be changed; such an
/// object is made anew.
async fn apply(client: &Client, object: &Object) -> Result<Option<Value>, kube::Error> {
    let api = api(client, &object.key);
    let name = &object.key.name;
    let params = PatchParams::apply(FIELD_MANAGER).force();
    let applied = match api.patch(name, &params, &Patch::Apply(&object.body)).await {
        Err(kube::Error::Api(status)) if status.code == INVALID => {
            tracing::info!(object = %object.key, reason = %status.message, "made anew: it cannot be changed");
            delete(client, &object.key).await?;
            api.patch(name, &params, &Patch::Apply(&object.body)).await?
        }
        other => other?,
    };
    let (_, found) = read(object.key.kind, applied.clone());
    if object.is_met_by(&found) {
        return Ok(Some(found));
    }
    let params = PostParams {
        field_manager: Some(FIELD_MANAGER.to_owned()),
        ..PostParams::default()
    };
    let whole = whole(object, applied)?;
    let written = api.replace(name, &params, &whole).await?;
    let (_, found) = read(object.key.kind, written);
    if !object.is_met_by(&found) {
        tracing::warn!(object = %object.key, %found, "is not as it was written");
    }
    Ok(Some(found))
}

/// Ours, with the metadata that is there.
fn whole(object: &Object, found: DynamicObject) -> Result<DynamicObject, kube::Error> {
    let mut whole: DynamicObject =
        serde_json::from_value(object.body.clone()).map_err(kube::Error::SerdeError)?;
    whole.metadata = found.metadata;
    whole.metadata.managed_fields = None;
    Ok(whole)
}

async fn delete(client: &Client, key: &Key) -> Result<Option<Value>, kube::Error> {
    match api(client, key).delete(&key.name, &DeleteParams::default()).await {
        // What is on its way out is still there; what is only shown once more is not.
        Ok(answer) => Ok(answer
            .left()
            .filter(|left| left.metadata.deletion_timestamp.is_some())
            .map(|left| read(key.kind, left).1)),
        Err(kube::Error::Api(status)) if status.code == NOT_FOUND => Ok(None),
        Err(error) => Err(error),
    }
}

fn api(client: &Client, key: &Key) -> Api<DynamicObject> {
    let resource = key.kind.resource();
    match &key.namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    }
}
