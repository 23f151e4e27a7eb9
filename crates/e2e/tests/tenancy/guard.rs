//! What the guard refuses, and to whom.

use super::person::{Person, Place};

const OWN: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: own, labels: {"plasmacloud.io/managed": "true"}}
"#;

fn tries_everything(place: &Place<'_>, who: &Person<'_>) {
    let namespace = ["namespace", place.namespace.as_str()].join("/");
    let namespace = namespace.as_str();
    let quota = "resourcequota/project-object-quota";
    let more = r#"{"spec": {"hard": {"pods": "5000"}}}"#;
    who.is_refused(&["patch", quota, "--type=merge", "-p", more]);
    let counted = r#"{"status": {"hard": {"pods": "5000"}, "used": {"pods": "0"}}}"#;
    who.is_refused(&[
        "patch",
        quota,
        "--subresource=status",
        "--type=merge",
        "-p",
        counted,
    ]);
    who.is_refused(&["delete", quota]);
    who.is_refused(&["delete", "resourcequotas", "--all"]);
    who.is_refused(&["label", quota, "plasmacloud.io/managed-"]);
    who.is_refused(&["label", quota, "plasmacloud.io/managed=false", "--overwrite"]);
    let free = r#"{"metadata": {"labels": null}, "spec": {"hard": null}}"#;
    who.is_refused(&["patch", quota, "--type=merge", "-p", free]);
    who.is_refused(&["delete", "limitrange/project-defaults"]);
    who.is_refused(&["delete", "networkpolicy/default-deny-all"]);
    let open = r#"{"spec": {"ingress": [{}]}}"#;
    who.is_refused(&[
        "patch",
        "networkpolicy/default-deny-all",
        "--type=merge",
        "-p",
        open,
    ]);
    who.is_refused(&[
        "label",
        namespace,
        "pod-security.kubernetes.io/enforce=privileged",
        "--overwrite",
    ]);
    who.is_refused(&["label", namespace, "pod-security.kubernetes.io/enforce-"]);
    who.is_refused(&[
        "label",
        namespace,
        "pod-security.kubernetes.io/enforce-version=v1.24",
    ]);
    who.is_refused(&["label", namespace, "plasmacloud.io/managed-"]);
    who.is_refused(&[
        "label",
        namespace,
        "plasmacloud.io/org-id=org-mine",
        "--overwrite",
    ]);
    who.is_refused(&[
        "annotate",
        namespace,
        "plasmacloud.io/created-by=me",
        "--overwrite",
    ]);
    let stay = r#"{"metadata": {"finalizers": ["acme.example/stay"]}}"#;
    who.is_refused(&["patch", namespace, "--type=merge", "-p", stay]);
    who.is_refused(&["delete", namespace]);
    let mut ended = place.cluster.get(&["namespace", &place.namespace]).expect("it");
    ended["spec"]["finalizers"] = serde_json::json!([]);
    let finalize = format!("/api/v1/namespaces/{}/finalize", place.namespace);
    who.is_refused_with(&["replace", "--raw", &finalize, "-f", "-"], &ended.to_string());
    // Nor is anything of their own made to look like ours.
    who.is_refused_with(&["create", "-f", "-"], OWN);
    who.kubectl(&["create", "configmap", "plain"]).ok();
    who.is_refused(&["label", "configmap/plain", "plasmacloud.io/managed=true"]);
    who.kubectl(&["delete", "configmap", "plain"]).ok();
}

pub fn refused(place: &Place<'_>) {
    tries_everything(place, &place.holder("admin"));
    let org = place.org_admin();
    tries_everything(place, &org);
    let all = r#"{"rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}"#;
    org.is_refused(&["patch", "role/project-viewer", "--type=merge", "-p", all]);
    org.is_refused(&["delete", "rolebinding/project-admin-binding"]);
    // Whoever holds the cluster's own admin kubeconfig goes through the platform as well.
    let owner = place.person(&["plasmacloud:cluster-admins".to_owned()]);
    tries_everything(place, &owner);
    owner.is_refused(&["delete", "clusterrole/plasmacloud-cluster-admin"]);
    // A member and a viewer do not come that far.
    for role in ["member", "viewer"] {
        let person = place.holder(role);
        person.is_forbidden(&["delete", "resourcequota/project-object-quota"]);
        person.is_forbidden(&["delete", "namespace", &place.namespace]);
    }
}

pub fn no_escalation(place: &Place<'_>) {
    let admin = place.holder("admin");
    let binding = [
        "create",
        "rolebinding",
        "mine",
        "--clusterrole=cluster-admin",
        "--user=ana",
    ];
    admin.is_forbidden(&binding);
    admin.is_forbidden(&["create", "role", "mine", "--verb=*", "--resource=roles"]);
    admin.is_forbidden(&["get", "nodes"]);
    admin.is_forbidden(&["get", "secrets", "-n", "kube-system"]);
    admin.is_forbidden(&["create", "namespace", "mine"]);
    // An org's admin has everything in the namespace, and can pass on that and no more.
    let org = place.org_admin();
    org.is_forbidden(&[
        "create",
        "clusterrolebinding",
        "mine",
        "--clusterrole=cluster-admin",
        "--user=ana",
    ]);
    org.is_forbidden(&["get", "pods", "-n", "kube-system"]);
    org.is_forbidden(&["get", "validatingadmissionpolicies"]);
}

pub fn own_things_stay(place: &Place<'_>) {
    let (admin, org) = (place.holder("admin"), place.org_admin());
    let namespace = format!("namespace/{}", place.namespace);
    admin.kubectl(&["label", &namespace, "team=shop"]).ok();
    admin.kubectl(&["annotate", &namespace, "note=ours"]).ok();
    let policy = r#"
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web}
spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress], ingress: [{}]}
"#;
    admin.kubectl_with(&["apply", "-f", "-"], policy).ok();
    org.kubectl(&["create", "role", "own", "--verb=get", "--resource=pods"])
        .ok();
    org.kubectl(&["create", "rolebinding", "own", "--role=own", "--user=ben"])
        .ok();
    still_there(place);
}

/// Also after all that the platform's own things went through.
pub fn still_there(place: &Place<'_>) {
    let namespace = place.cluster.get(&["namespace", &place.namespace]).expect("it");
    assert_eq!(namespace["metadata"]["labels"]["team"], "shop");
    assert_eq!(namespace["metadata"]["annotations"]["note"], "ours");
    for (kind, name) in [("networkpolicy", "web"), ("role", "own"), ("rolebinding", "own")] {
        place.get(kind, name).expect("it stays");
    }
}
