//! What is changed behind the platform's back by somebody whom nothing stops.

use std::time::{Duration, Instant};

use e2e::eventually;
use rustix::process::Signal;
use serde_json::Value;

use super::{guard::still_there, objects, person::Place};

/// The bar: within seconds.
const SECONDS: Duration = Duration::from_secs(5);

/// What of an object must be as it was.
fn content(object: &Value) -> Value {
    let mut content = object.clone();
    for part in ["status", "metadata"] {
        content.as_object_mut().expect("an object").remove(part);
    }
    content["managed"] = object["metadata"]["labels"]["plasmacloud.io/managed"].clone();
    content
}

#[track_caller]
fn comes_back(place: &Place<'_>, kind: &str, name: &str, change: &[&str]) {
    let words = ["-n", &place.namespace, kind, name];
    let before = content(&place.cluster.get(&words).expect("it is there"));
    let version = |object: &Value| object["metadata"]["resourceVersion"].clone();
    let old = version(&place.cluster.get(&words).expect("it is there"));
    let changed = Instant::now();
    place.super_admin().kubectl(change).ok();
    eventually(&format!("{kind} {name} is as it was"), SECONDS, || {
        let now = place.cluster.get(&words)?;
        if content(&now) == before && version(&now) != old {
            Ok(())
        } else {
            Err(now.to_string())
        }
    });
    eprintln!(
        "     {kind} {name} as it was after {:.2} s: {}",
        changed.elapsed().as_secs_f64(),
        change[0]
    );
}

pub fn quota_comes_back(place: &Place<'_>) {
    let quota = ["resourcequota", "project-object-quota"];
    let more = r#"{"spec": {"hard": {"pods": "5000"}}}"#;
    let words = ["patch", quota[0], quota[1], "--type=merge", "-p", more];
    comes_back(place, quota[0], quota[1], &words);
    comes_back(place, quota[0], quota[1], &["delete", quota[0], quota[1]]);
}

pub fn put_right(place: &Place<'_>) {
    quota_comes_back(place);
    let patch = |kind: &str, name: &str, patch: &str| {
        comes_back(
            place,
            kind,
            name,
            &["patch", kind, name, "--type=merge", "-p", patch],
        );
    };
    let unlabelled = r#"{"metadata": {"labels": {"plasmacloud.io/managed": null}}}"#;
    // What was added to the spec is drift as well.
    patch(
        "resourcequota",
        "project-storage-quota",
        r#"{"spec": {"hard": {"count/jobs.batch": "0"}}}"#,
    );
    patch("resourcequota", "project-compute-quota", unlabelled);
    patch(
        "networkpolicy",
        "default-deny-all",
        r#"{"spec": {"ingress": [{}]}}"#,
    );
    patch("limitrange", "project-defaults", r#"{"spec": {"limits": []}}"#);
    let all = r#"{"rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}"#;
    patch("role", "project-viewer", all);
    let everybody = r#"{"subjects": [{"kind": "Group", "name": "system:authenticated", "apiGroup": "rbac.authorization.k8s.io"}]}"#;
    patch("rolebinding", "project-admin-binding", everybody);
    patch(
        "validatingadmissionpolicy",
        "plasmacloud-managed",
        r#"{"spec": {"matchConditions": [{"name": "never", "expression": "false"}]}}"#,
    );
    patch("clusterrole", "plasmacloud-cluster-admin", all);
    let delete = |kind: &str, name: &str| comes_back(place, kind, name, &["delete", kind, name]);
    delete("role", "org-admin");
    delete("networkpolicy", "default-deny-all");
    delete("validatingadmissionpolicy", "plasmacloud-managed");
    delete("validatingadmissionpolicybinding", "plasmacloud-managed");
    guard_taken_away(place);
    another_role(place);
    let namespace = format!("namespace/{}", place.namespace);
    let words = [
        "label",
        &namespace,
        "pod-security.kubernetes.io/enforce=privileged",
        "--overwrite",
    ];
    place.super_admin().kubectl(&words).ok();
    eventually("the namespace is baseline again", SECONDS, || {
        let now = place.cluster.get(&["namespace", &place.namespace])?;
        let level = &now["metadata"]["labels"]["pod-security.kubernetes.io/enforce"];
        if level == "baseline" {
            Ok(())
        } else {
            Err(level.to_string())
        }
    });
    still_there(place);
}

/// Kubernetes exempts policies from policies: whoever has the cluster's admin kubeconfig can do this.
fn guard_taken_away(place: &Place<'_>) {
    let guard = "validatingadmissionpolicy/plasmacloud-managed";
    place.cluster.kubectl(&["delete", guard]).ok();
    eventually("the guard is back", SECONDS, || {
        place.cluster.kubectl(&["get", guard]).try_ok()
    });
}

/// A binding's role cannot be changed in place.
fn another_role(place: &Place<'_>) {
    let name = "project-viewer-binding";
    let before = content(&place.get("rolebinding", name).expect("it"));
    let mut other = before.clone();
    other.as_object_mut().expect("an object").remove("managed");
    other["roleRef"]["name"] = "org-admin".into();
    other["metadata"] = serde_json::json!({"name": name, "namespace": place.namespace});
    let replace = ["replace", "--force", "-f", "-"];
    let ended = place.super_admin().kubectl_with(&replace, &other.to_string());
    // Ours may have been quicker than the second half of it.
    eprintln!("     {}", ended.told().lines().last().unwrap_or_default());
    eventually("the binding is as it was", SECONDS, || {
        let now = content(&place.get("rolebinding", name)?);
        if now == before {
            Ok(())
        } else {
            Err(now.to_string())
        }
    });
}

pub fn namespace_comes_back(place: &Place<'_>) {
    let wanted = objects::managed(place.cluster, &place.namespace).expect("what is there");
    let before = place.cluster.get(&["namespace", &place.namespace]).expect("it");
    place
        .super_admin()
        .kubectl(&["delete", "namespace", &place.namespace])
        .ok();
    eventually(
        "the namespace is there anew, whole",
        Duration::from_secs(30),
        || {
            let now = place.cluster.get(&["namespace", &place.namespace])?;
            let found = objects::managed(place.cluster, &place.namespace)?;
            if now["metadata"]["uid"] != before["metadata"]["uid"] && found == wanted {
                Ok(())
            } else {
                Err(format!("{now} {found:?}"))
            }
        },
    );
}

pub fn controller_killed(place: &Place<'_>) {
    let plane = place.cluster.plane();
    let before = plane.process("cloud-controllers");
    before.signal(Signal::KILL);
    eventually("another controller runs", Duration::from_secs(10), || {
        let now = plane.process("cloud-controllers");
        if now != before && now.is_alive() {
            Ok(())
        } else {
            Err(format!("{now:?}"))
        }
    });
    quota_comes_back(place);
    let api = plane.process("kube-apiserver");
    api.signal(Signal::KILL);
    eventually("the API answers", Duration::from_secs(60), || {
        if api.is_alive() {
            return Err("the old one lives".to_owned());
        }
        place.cluster.kubectl(&["get", "--raw", "/readyz"]).try_ok()
    });
    quota_comes_back(place);
}
