//! Who may do what, as the API server itself counts it up.

use serde_json::{Value, json};

use super::person::{Person, Place};

/// All they may do beyond what everybody may who is somebody.
fn own(place: &Place<'_>, person: &Person<'_>) -> Vec<Value> {
    let everybody = place.person(&[]).rules();
    let mut own: Vec<Value> = person
        .rules()
        .into_iter()
        .filter(|rule| !everybody.contains(rule))
        .collect();
    own.sort_by_key(Value::to_string);
    own
}

#[track_caller]
fn is_template(place: &Place<'_>, who: &str, person: &Person<'_>, template: Value) {
    let mut template: Vec<Value> = template.as_array().expect("rules").clone();
    template.sort_by_key(Value::to_string);
    assert_eq!(own(place, person), template, "{who}");
}

fn rule(groups: Value, resources: Value, verbs: Value) -> Value {
    json!({"apiGroups": groups, "resources": resources, "verbs": verbs})
}

pub fn templates(place: &Place<'_>) {
    is_template(
        place,
        "viewer",
        &place.holder("viewer"),
        json!([
            rule(
                json!(["", "apps", "batch", "networking.k8s.io"]),
                json!([
                    "pods",
                    "services",
                    "deployments",
                    "replicasets",
                    "configmaps",
                    "secrets"
                ]),
                json!(["get", "list", "watch"]),
            ),
            rule(json!([""]), json!(["pods/log"]), json!(["get", "list"])),
        ]),
    );
    is_template(
        place,
        "admin",
        &place.holder("admin"),
        json!([rule(
            json!(["", "apps", "batch", "networking.k8s.io", "storage.k8s.io"]),
            json!(["*"]),
            json!(["*"]),
        )]),
    );
    is_template(
        place,
        "org admin",
        &place.org_admin(),
        json!([rule(json!(["*"]), json!(["*"]), json!(["*"]))]),
    );
    is_template(
        place,
        "platform admin",
        &place.person(&["system:plasmacloud-admins".to_owned()]),
        json!([
            rule(json!([""]), json!(["nodes", "persistentvolumes"]), json!(["*"])),
            rule(json!(["storage.k8s.io"]), json!(["storageclasses"]), json!(["*"])),
        ]),
    );
    member(place);
    // As a person asks.
    let viewer = place.holder("viewer");
    let list = viewer.kubectl(&["auth", "can-i", "--list"]).ok();
    assert!(list.contains("pods/log") && !list.contains("delete"), "{list}");
}

fn member(place: &Place<'_>) {
    let member = place.holder("member");
    let rules = own(place, &member);
    let text = serde_json::to_string(&rules).expect("plain data");
    assert!(!text.contains('*') && !text.contains("rbac"), "{text}");
    let may = |verb: &str, what: &str| member.kubectl(&["auth", "can-i", verb, what]).code == Some(0);
    for (verb, what) in [
        ("create", "deployments.apps"),
        ("patch", "statefulsets.apps"),
        ("create", "jobs.batch"),
        ("create", "services"),
        ("delete", "secrets"),
        ("create", "persistentvolumeclaims"),
        ("create", "ingresses.networking.k8s.io"),
        ("create", "pods/exec"),
        ("get", "resourcequotas"),
    ] {
        assert!(may(verb, what), "a member may {verb} {what}");
    }
    for (verb, what) in [
        ("update", "resourcequotas"),
        ("delete", "limitranges"),
        ("create", "networkpolicies.networking.k8s.io"),
        ("create", "rolebindings.rbac.authorization.k8s.io"),
        ("create", "serviceaccounts"),
        ("create", "serviceaccounts/token"),
        ("patch", "namespaces"),
        ("impersonate", "users"),
    ] {
        assert!(!may(verb, what), "a member may not {verb} {what}");
    }
}

/// Bound to these, every member would be everything.
pub fn unqualified(place: &Place<'_>) {
    let nobody = place.person(&[]);
    for what in ["pods", "secrets", "configmaps"] {
        nobody.is_forbidden(&["get", what]);
    }
    let elsewhere = place.person(&["project:proj-ffffffffffffffff:admin".to_owned()]);
    elsewhere.is_forbidden(&["get", "pods"]);
}
