//! One object of any kind: its server-side apply, and whether it is there.

use std::fmt;

use kube::{
    Client,
    api::{Api, DynamicObject, Patch, PatchParams},
    core::GroupVersionKind,
};
use serde_json::Value;
use types::Fault;

use crate::{
    FIELD_MANAGER,
    error::CallError,
    kinds::{self, Scope},
};

/// An object that has all that its address is made of.
#[derive(Debug)]
pub(crate) struct Object {
    gvk: GroupVersionKind,
    namespace: Option<String>,
    name: String,
    body: Value,
}

impl Object {
    pub(crate) fn read(value: &Value) -> Result<Self, Fault> {
        let text = |pointer: &str| {
            value
                .pointer(pointer)
                .and_then(Value::as_str)
                .filter(|s| !s.is_empty())
        };
        let (api_version, kind, name) = (text("/apiVersion"), text("/kind"), text("/metadata/name"));
        let (Some(api_version), Some(kind), Some(name)) = (api_version, kind, name) else {
            let shown = [api_version, kind, name]
                .map(|part| part.unwrap_or("?"))
                .join(" ");
            return Err(invalid(format!(
                "object '{shown}' lacks its apiVersion, kind or name"
            )));
        };
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let mut body = value.clone();
        if let Some(Value::Object(metadata)) = body.get_mut("metadata") {
            // The server keeps the books itself and refuses an apply that brings them.
            metadata.remove("managedFields");
        }
        Ok(Self {
            gvk: GroupVersionKind::gvk(group, version, kind),
            namespace: text("/metadata/namespace").map(str::to_owned),
            name: name.to_owned(),
            body,
        })
    }

    pub(crate) async fn is_there(&self, client: &Client) -> Result<bool, CallError> {
        let found = self.api(client).await?.get_metadata_opt(&self.name).await?;
        Ok(found.is_some())
    }

    async fn api(&self, client: &Client) -> Result<Api<DynamicObject>, CallError> {
        let (resource, scope) = kinds::find(client, &self.gvk).await?;
        match (scope, &self.namespace) {
            (Scope::Cluster, _) => Ok(Api::all_with(client.clone(), &resource)),
            (Scope::Namespaced, Some(namespace)) => {
                Ok(Api::namespaced_with(client.clone(), namespace, &resource))
            }
            // No default: what lands in another namespace than meant is hard to find.
            (Scope::Namespaced, None) => Err(invalid(format!("{self} lacks its namespace")).into()),
        }
    }

    pub(crate) async fn apply(&self, client: &Client) -> Result<(), CallError> {
        let api = self.api(client).await?;
        let params = PatchParams::apply(FIELD_MANAGER).force();
        api.patch_metadata(&self.name, &params, &Patch::Apply(&self.body))
            .await?;
        Ok(())
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.gvk.kind)?;
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        f.write_str(&self.name)
    }
}

fn invalid(cause: String) -> Fault {
    Fault::internal("cluster-object-invalid", cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_address_of_an_object_is_read_from_it() {
        let object = Object::read(&json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "dns", "namespace": "kube-system", "managedFields": [{"manager": "x"}]},
        }))
        .unwrap();
        assert_eq!(object.gvk, GroupVersionKind::gvk("apps", "v1", "Deployment"));
        assert_eq!(object.to_string(), "Deployment kube-system/dns");
        assert_eq!(
            object.body["metadata"],
            json!({"name": "dns", "namespace": "kube-system"})
        );
    }

    #[test]
    fn an_object_without_an_address_is_refused() {
        for bad in [
            json!({"kind": "ConfigMap", "metadata": {"name": "x"}}),
            json!({"apiVersion": "v1", "metadata": {"name": "x"}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap"}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": ""}}),
            json!(null),
        ] {
            assert_eq!(
                Object::read(&bad).unwrap_err().code,
                "cluster-object-invalid",
                "{bad}"
            );
        }
    }
}
