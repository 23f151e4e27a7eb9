//! What every `ClusterApi` does.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde_json::{Value, json};
use types::{FaultKind, Secret};

use super::{at_once, suite, told};
use crate::{
    ClusterApi,
    cluster_api::{ApiTarget, NodeSeen, NodeWanted},
};

/// A cluster that answers, with no nodes but those that a case registers.
#[async_trait]
pub trait Bench: Sync {
    type Subject: ClusterApi + Clone + 'static;

    fn api(&self) -> Self::Subject;

    fn target(&self) -> ApiTarget;

    /// A cluster at whose address nobody answers.
    fn nobody(&self) -> ApiTarget;

    /// A kubelet registers its node.
    async fn register(&self, node: &str);

    /// All that can be seen of an object and would differ if it were written again; none when it is not there.
    fn trace(&self, object: &Value) -> Option<String>;

    /// A name that no other case uses.
    fn name(&self) -> String;
}

suite!(
    "ClusterApi",
    Bench,
    [
        one_that_does_not_answer_is_not_ready_and_unavailable,
        a_node_is_seen_adopted_and_deleted,
        adopting_twice_is_once_and_labels_of_others_stay,
        a_pod_range_is_never_changed,
        a_node_that_is_not_there_can_be_deleted_and_not_adopted,
        a_drained_node_takes_no_more_pods,
        applying_twice_is_once,
        of_a_list_with_a_hole_nothing_is_sent,
        what_was_applied_is_there,
        a_token_that_nobody_made_is_nobodys,
        calls_at_once_do_not_meet,
    ]
);

async fn node(bench: &impl Bench, name: &str) -> Option<NodeSeen> {
    let nodes = bench.api().nodes(&bench.target()).await.unwrap();
    nodes.into_iter().find(|node| node.name == name)
}

fn wanted(name: &str, pool: &str) -> NodeWanted {
    NodeWanted {
        name: name.to_owned(),
        pods: "10.244.7.0/24".parse().expect("a range"),
        labels: BTreeMap::from([("example.com/pool".to_owned(), pool.to_owned())]),
    }
}

fn config_map(name: &str, text: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"}, "data": {"text": text},
    })
}

async fn one_that_does_not_answer_is_not_ready_and_unavailable(bench: &impl Bench) {
    let (api, nobody) = (bench.api(), bench.nobody());
    assert!(api.ready(&bench.target()).await.unwrap());
    assert!(!api.ready(&nobody).await.unwrap());
    let code = "cluster-api-unavailable";
    told(api.nodes(&nobody).await, FaultKind::Unavailable, code);
    told(
        api.apply(&nobody, &[config_map("x", "x")]).await,
        FaultKind::Unavailable,
        code,
    );
    told(
        api.adopt_node(&nobody, &wanted("x", "x")).await,
        FaultKind::Unavailable,
        code,
    );
    told(api.delete_node(&nobody, "x").await, FaultKind::Unavailable, code);
}

async fn a_token_that_nobody_made_is_nobodys(bench: &impl Bench) {
    let (api, token) = (bench.api(), Secret::new("a token that nobody made"));
    assert!(!api.knows(&bench.target(), &token).await.unwrap());
    told(
        api.knows(&bench.nobody(), &token).await,
        FaultKind::Unavailable,
        "cluster-api-unavailable",
    );
}

async fn a_node_is_seen_adopted_and_deleted(bench: &impl Bench) {
    let (api, target, name) = (bench.api(), bench.target(), bench.name());
    assert_eq!(node(bench, &name).await, None);
    bench.register(&name).await;
    let fresh = node(bench, &name).await.expect("it registered");
    assert!(
        !fresh.ready && !fresh.message.is_empty() && !fresh.unschedulable,
        "{fresh:?}"
    );
    assert_eq!(fresh.pods, None);

    let wanted = wanted(&name, "blue");
    api.adopt_node(&target, &wanted).await.unwrap();
    let adopted = node(bench, &name).await.expect("it is there");
    assert_eq!(adopted.pods, Some(wanted.pods));
    assert_eq!(adopted.labels["example.com/pool"], "blue");
    for _ in 0..2 {
        api.delete_node(&target, &name).await.unwrap();
        assert_eq!(node(bench, &name).await, None);
    }
}

async fn adopting_twice_is_once_and_labels_of_others_stay(bench: &impl Bench) {
    let (api, target, name) = (bench.api(), bench.target(), bench.name());
    bench.register(&name).await;
    let own = node(bench, &name).await.expect("it registered").labels;
    api.adopt_node(&target, &wanted(&name, "blue")).await.unwrap();
    let object = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": &name}});
    let before = bench.trace(&object);
    api.adopt_node(&target, &wanted(&name, "blue")).await.unwrap();
    assert_eq!(bench.trace(&object), before, "the second time changed something");
    api.adopt_node(&target, &wanted(&name, "green")).await.unwrap();
    let labels = node(bench, &name).await.expect("it is there").labels;
    assert_eq!(labels["example.com/pool"], "green");
    assert!(
        own.iter().all(|(key, value)| labels.get(key) == Some(value)),
        "{labels:?}"
    );
    api.delete_node(&target, &name).await.unwrap();
}

async fn a_pod_range_is_never_changed(bench: &impl Bench) {
    let (api, target, name) = (bench.api(), bench.target(), bench.name());
    bench.register(&name).await;
    let first = wanted(&name, "blue");
    api.adopt_node(&target, &first).await.unwrap();
    let moved = NodeWanted {
        pods: "10.244.8.0/24".parse().expect("a range"),
        ..first.clone()
    };
    told(
        api.adopt_node(&target, &moved).await,
        FaultKind::Conflict,
        "node-range-taken",
    );
    assert_eq!(
        node(bench, &name).await.expect("it is there").pods,
        Some(first.pods)
    );
    api.delete_node(&target, &name).await.unwrap();
}

async fn a_node_that_is_not_there_can_be_deleted_and_not_adopted(bench: &impl Bench) {
    let (api, target, name) = (bench.api(), bench.target(), bench.name());
    api.delete_node(&target, &name).await.unwrap();
    let adopted = api.adopt_node(&target, &wanted(&name, "blue")).await;
    told(adopted, FaultKind::NotFound, "node-not-found");
}

async fn a_drained_node_takes_no_more_pods(bench: &impl Bench) {
    let (api, target, name) = (bench.api(), bench.target(), bench.name());
    let nothing: [String; 0] = [];
    assert_eq!(
        api.drain_node(&target, &name).await.unwrap(),
        nothing,
        "one that is not there is empty"
    );
    assert_eq!(node(bench, &name).await, None, "and is not made by that");
    bench.register(&name).await;
    for _ in 0..2 {
        assert_eq!(api.drain_node(&target, &name).await.unwrap(), nothing);
        assert!(node(bench, &name).await.expect("it is there").unschedulable);
    }
    api.delete_node(&target, &name).await.unwrap();
    let unreached = api.drain_node(&bench.nobody(), &name).await;
    told(unreached, FaultKind::Unavailable, "cluster-api-unavailable");
}

async fn applying_twice_is_once(bench: &impl Bench) {
    let (api, target) = (bench.api(), bench.target());
    let objects = [config_map(&bench.name(), "one"), config_map(&bench.name(), "one")];
    let traces = || objects.each_ref().map(|object| bench.trace(object));
    assert_eq!(traces(), [None, None]);
    api.apply(&target, &objects).await.unwrap();
    let first = traces();
    assert!(first.iter().all(Option::is_some));
    api.apply(&target, &objects).await.unwrap();
    assert_eq!(traces(), first, "the second time changed something");
    let mut changed = objects.clone();
    changed[1]["data"]["text"] = json!("two");
    api.apply(&target, &changed).await.unwrap();
    let second = traces();
    assert_eq!(
        (second[0] == first[0], second[1] == first[1]),
        (true, false),
        "{second:?}"
    );
    api.apply(&target, &[]).await.unwrap();
}

async fn of_a_list_with_a_hole_nothing_is_sent(bench: &impl Bench) {
    let (api, target, object) = (bench.api(), bench.target(), config_map(&bench.name(), "one"));
    for hole in [
        json!({}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}),
    ] {
        let applied = api.apply(&target, &[object.clone(), hole]).await;
        told(applied, FaultKind::Internal, "cluster-object-invalid");
        assert_eq!(bench.trace(&object), None);
    }
}

async fn what_was_applied_is_there(bench: &impl Bench) {
    let (api, target, object) = (bench.api(), bench.target(), config_map(&bench.name(), "one"));
    assert!(!api.has(&target, &object).await.unwrap());
    api.apply(&target, std::slice::from_ref(&object)).await.unwrap();
    assert!(api.has(&target, &object).await.unwrap());
    let elsewhere = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": object["metadata"]["name"], "namespace": "nowhere"},
    });
    assert!(!api.has(&target, &elsewhere).await.unwrap());
    let unreached = api.has(&bench.nobody(), &object).await;
    told(unreached, FaultKind::Unavailable, "cluster-api-unavailable");
    let hole = api.has(&target, &json!({})).await;
    told(hole, FaultKind::Internal, "cluster-object-invalid");
}

async fn calls_at_once_do_not_meet(bench: &impl Bench) {
    let objects: Vec<Value> = (0..4).map(|_| config_map(&bench.name(), "one")).collect();
    let calls = objects.iter().cloned().map(|object| {
        let (api, target) = (bench.api(), bench.target());
        async move { api.apply(&target, &[object]).await }
    });
    for applied in at_once(calls).await {
        applied.unwrap();
    }
    assert!(objects.iter().all(|object| bench.trace(object).is_some()));
}
