//! The client keeps the port's contract with a real kube-apiserver.

use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use kubeapi::KubeApi;
use ports::{
    cluster_api::ApiTarget,
    conformance::cluster_api::{Bench, suite},
};
use serde_json::{Value, json};

use crate::plane::{Plane, free_ports};

pub async fn keeps_the_contract(api: &KubeApi, plane: &Plane) {
    let names = AtomicU32::new(0);
    let cluster = || Cluster {
        api,
        plane,
        names: &names,
    };
    suite(async || cluster()).await;
}

/// One server for all cases: they use names of their own.
struct Cluster<'a> {
    api: &'a KubeApi,
    plane: &'a Plane,
    names: &'a AtomicU32,
}

#[async_trait]
impl Bench for Cluster<'_> {
    type Subject = KubeApi;

    fn api(&self) -> KubeApi {
        self.api.clone()
    }

    fn target(&self) -> ApiTarget {
        self.plane.target()
    }

    fn nobody(&self) -> ApiTarget {
        let [port] = free_ports();
        ApiTarget {
            endpoint: ([127, 0, 0, 1], port).into(),
            ..self.target()
        }
    }

    async fn register(&self, node: &str) {
        self.plane.create(&json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": node, "labels": {"kubernetes.io/hostname": node}},
        }));
    }

    fn trace(&self, object: &Value) -> Option<String> {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str);
        let (kind, name) = (text("/kind").unwrap(), text("/metadata/name").unwrap());
        let namespace = format!("--namespace={}", text("/metadata/namespace").unwrap_or("default"));
        let version = "-o=jsonpath={.metadata.uid} {.metadata.resourceVersion}";
        let found = self
            .plane
            .kubectl(&["get", kind, name, &namespace, version, "--ignore-not-found"]);
        Some(found).filter(|found| !found.is_empty())
    }

    fn name(&self) -> String {
        format!("contract-{}", self.names.fetch_add(1, Ordering::Relaxed))
    }
}
