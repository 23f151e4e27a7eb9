//! Server-side apply of what the platform puts into clusters, and of what it does not know.

use std::time::{Duration, Instant};

use kubeapi::KubeApi;
use ports::cluster_api::ClusterApi;
use serde_json::{Value, json};
use types::FaultKind;

use crate::plane::Plane;

const NS: &str = "applied";

pub async fn every_kind_and_again(api: &KubeApi, plane: &Plane) {
    let target = plane.target();
    let objects = of_every_kind();
    api.apply(&target, &objects).await.unwrap();
    let versions = || -> Vec<Value> {
        let version = |o: &Value| {
            let (kind, name) = (
                o["kind"].as_str().unwrap(),
                o["metadata"]["name"].as_str().unwrap(),
            );
            let found = plane.get(&[kind, name, "-n", NS]);
            assert_eq!(manager_of(&found), Some("plasmacloud"), "{kind} {name}");
            found["metadata"]["resourceVersion"].clone()
        };
        objects.iter().map(version).collect()
    };
    let first = versions();
    api.apply(&target, &objects).await.unwrap();
    assert_eq!(versions(), first, "applying the same again changes nothing");
    api.apply(&target, &[]).await.unwrap();
}

pub async fn fields_are_owned_and_taken_back(api: &KubeApi, plane: &Plane) {
    let target = plane.target();
    let map = |data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owned", "namespace": NS}, "data": data});
    let read = || plane.get(&["configmap", "owned", "-n", NS]);
    api.apply(&target, &[map(json!({"ours": "1", "dropped": "1"}))])
        .await
        .unwrap();
    plane.kubectl(&[
        "patch",
        "configmap",
        "owned",
        "-n",
        NS,
        "--type=merge",
        "-p",
        r#"{"data": {"ours": "x", "theirs": "1"}}"#,
    ]);
    api.apply(&target, &[map(json!({"ours": "2"}))]).await.unwrap();
    assert_eq!(read()["data"], json!({"ours": "2", "theirs": "1"}));

    // What was read from the server can be applied, its bookkeeping notwithstanding.
    let mut whole = read();
    assert!(whole["metadata"]["managedFields"].is_array());
    whole["data"]["ours"] = json!("3");
    api.apply(&target, &[whole]).await.unwrap();
    assert_eq!(read()["data"]["ours"], "3");
}

pub async fn kinds_are_discovered(api: &KubeApi, plane: &Plane) {
    let target = plane.target();
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let definition = |plural: &str, kind: &str, scope: &str| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.kubeapi.test")},
            "spec": {
                "group": "kubeapi.test", "scope": scope,
                "names": {"plural": plural, "singular": kind.to_lowercase(), "kind": kind},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        })
    };
    let custom = |kind: &str, metadata: Value| json!({"apiVersion": "kubeapi.test/v1", "kind": kind, "metadata": metadata, "spec": {"size": 1}});
    let wolf = custom("Wolf", json!({"name": "grey"}));
    let mouse = custom("Mouse", json!({"name": "white", "namespace": NS}));

    let fault = api.apply(&target, std::slice::from_ref(&wolf)).await.unwrap_err();
    assert_eq!(
        (fault.kind, fault.code.as_ref()),
        (FaultKind::Unavailable, "cluster-kind-unknown"),
        "{fault}"
    );

    let definitions = [
        definition("wolves", "Wolf", "Cluster"),
        definition("mice", "Mouse", "Namespaced"),
    ];
    api.apply(&target, &definitions).await.unwrap();
    let begun = Instant::now();
    while let Err(fault) = api.apply(&target, &[wolf.clone(), mouse.clone()]).await {
        assert!(
            fault.kind.is_transient() && begun.elapsed() < Duration::from_secs(20),
            "{fault}"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(plane.get(&["wolves.kubeapi.test", "grey"])["spec"]["size"], 1);
    assert_eq!(
        plane.get(&["mice.kubeapi.test", "white", "-n", NS])["spec"]["size"],
        1
    );
}

pub async fn what_is_refused_says_why(api: &KubeApi, plane: &Plane) {
    let target = plane.target();
    let map = |metadata: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    let nowhere = map(json!({"name": "x", "namespace": "absent"}));
    let misnamed = map(json!({"name": "No_Name", "namespace": NS}));
    for (object, says) in [
        (nowhere, "namespaces \"absent\" not found"),
        (misnamed, "RFC 1123"),
    ] {
        let fault = api.apply(&target, &[object]).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.code.as_ref()),
            (FaultKind::Internal, "cluster-api-refused"),
            "{fault}"
        );
        assert!(
            fault.cause.contains(says) && fault.cause.contains("apply ConfigMap"),
            "{fault}"
        );
    }
    let homeless = api
        .apply(&target, &[map(json!({"name": "x"}))])
        .await
        .unwrap_err();
    assert_eq!(homeless.code, "cluster-object-invalid", "{homeless}");
    // Nothing of a list with an unreadable object is sent.
    let first = map(json!({"name": "never-sent", "namespace": NS}));
    assert_eq!(
        api.apply(&target, &[first, json!({})]).await.unwrap_err().code,
        "cluster-object-invalid"
    );
    assert_eq!(
        plane.kubectl(&["get", "configmap", "never-sent", "-n", NS, "--ignore-not-found"]),
        ""
    );
}

fn manager_of(object: &Value) -> Option<&str> {
    let managers = object["metadata"]["managedFields"].as_array()?;
    managers.iter().find(|m| m["operation"] == "Apply")?["manager"].as_str()
}

fn of_every_kind() -> Vec<Value> {
    let rbac = "rbac.authorization.k8s.io/v1";
    // Who sets no field owns none and is not listed as a manager.
    let here = |name: &str| json!({"name": name, "namespace": NS, "labels": {"a": "b"}});
    let rules = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]);
    let subjects = json!([{"kind": "ServiceAccount", "name": "runner", "namespace": NS}]);
    let refer =
        |kind: &str, name: &str| json!({"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name});
    let pods = json!({
        "selector": {"matchLabels": {"app": "a"}},
        "template": {
            "metadata": {"labels": {"app": "a"}},
            "spec": {"containers": [{"name": "c", "image": "example.com/c:1", "ports": [{"containerPort": 53}]}]},
        },
    });
    vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NS, "labels": {"a": "b"}}}),
        json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "vital"}, "value": 1000}),
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": here("runner")}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": here("settings"), "data": {"k": "v"}}),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": here("key"), "stringData": {"k": "v"}}),
        json!({"apiVersion": "v1", "kind": "Service", "metadata": here("front"),
               "spec": {"selector": {"app": "a"}, "ports": [{"name": "dns", "port": 53, "protocol": "UDP"}]}}),
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": here("many"), "spec": pods}),
        json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": here("each"), "spec": pods}),
        json!({"apiVersion": rbac, "kind": "ClusterRole", "metadata": {"name": "test:reader"}, "rules": rules}),
        json!({"apiVersion": rbac, "kind": "ClusterRoleBinding", "metadata": {"name": "test:reader"},
               "roleRef": refer("ClusterRole", "test:reader"), "subjects": subjects}),
        json!({"apiVersion": rbac, "kind": "Role", "metadata": here("reader"), "rules": rules}),
        json!({"apiVersion": rbac, "kind": "RoleBinding", "metadata": here("reader"),
               "roleRef": refer("Role", "reader"), "subjects": subjects}),
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "disk"},
               "provisioner": "example.com/disk"}),
    ]
}
