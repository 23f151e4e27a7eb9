//! The guard: what the platform keeps in a cluster is changed by the platform only. It is a policy of the API server
//! itself, so there is nothing that could be down.
//!
//! A project's admin may do everything with the core resources of their namespace, and quotas, their status, and the
//! namespace with its Pod Security labels are among those: without this they could lift every limit set for them.
//!
//! Let through are this controller; three controllers of Kubernetes that act on everything (emptying a namespace that
//! ends, counting what a quota uses, collecting what has lost its owner); and `system:masters`, whom nothing in a
//! cluster can stop anyway: they may change an object, and it is put right a moment later.

use serde_json::json;
use types::tenancy::CONTROLLERS_USER;

use super::object::{Kind, MANAGED, Object};

const NAME: &str = "plasmacloud-managed";

fn of_the_platform() -> String {
    let users = [
        CONTROLLERS_USER,
        "system:serviceaccount:kube-system:namespace-controller",
        "system:serviceaccount:kube-system:resourcequota-controller",
        "system:serviceaccount:kube-system:generic-garbage-collector",
    ];
    let users = users.map(|user| format!("'{user}'")).join(", ");
    format!(
        "request.userInfo.username in [{users}] \
         || (has(request.userInfo.groups) && 'system:masters' in request.userInfo.groups)"
    )
}

/// A tenant may name their namespace as they like, with labels and annotations that are not ours. Finalizers and owners
/// would decide when it goes.
const NAMESPACE_UPDATE: &str = "request.operation == 'UPDATE' && request.resource.group == '' \
     && request.resource.resource == 'namespaces' && (!has(request.subResource) || request.subResource == '')";

const OURS_UNCHANGED: &str = "[\
     [variables.labels, variables.labelsBefore], \
     [variables.annotations, variables.annotationsBefore]\
     ].all(pair, \
       pair[0].all(key, !(key.startsWith('plasmacloud.io/') || key.startsWith('pod-security.kubernetes.io/')) \
         || (key in pair[1] && pair[1][key] == pair[0][key])) \
       && pair[1].all(key, !(key.startsWith('plasmacloud.io/') || key.startsWith('pod-security.kubernetes.io/')) \
         || key in pair[0])) \
     && variables.finalizers == variables.finalizersBefore && variables.owners == variables.ownersBefore";

const MESSAGE: &str = "variables.isNamespaceUpdate \
     ? 'labels and annotations under plasmacloud.io/ and pod-security.kubernetes.io/, finalizers and owners of this \
        namespace are kept by PlasmaCloud and cannot be changed here; others can' \
     : 'what carries the label plasmacloud.io/managed is kept by PlasmaCloud and cannot be made, changed or deleted \
        here; it follows the settings of the project, which its administrators change with the cloud command'";

pub fn objects() -> [Object; 2] {
    let part = |object: &str, path: &str, empty: &str| {
        format!("{object} != null && has({object}.metadata.{path}) ? {object}.metadata.{path} : {empty}")
    };
    let mut variables = vec![json!({"name": "isNamespaceUpdate", "expression": NAMESPACE_UPDATE})];
    for (name, path, empty) in [
        ("labels", "labels", "{}"),
        ("annotations", "annotations", "{}"),
        ("finalizers", "finalizers", "[]"),
        ("owners", "ownerReferences", "[]"),
    ] {
        let (now, before) = (part("object", path, empty), part("oldObject", path, empty));
        variables.push(json!({"name": name, "expression": now}));
        variables.push(json!({"name": format!("{name}Before"), "expression": before}));
    }
    let policy = json!({"spec": {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "matchPolicy": "Equivalent",
            "namespaceSelector": {},
            // It is enough that the object carries the label before or after.
            "objectSelector": {"matchLabels": {MANAGED: "true"}},
            "resourceRules": [{
                "apiGroups": ["*"],
                "apiVersions": ["*"],
                "operations": ["CREATE", "UPDATE", "DELETE"],
                "resources": ["*/*"],
                "scope": "*",
            }],
        },
        "matchConditions": [{"name": "not-the-platform", "expression": format!("!({})", of_the_platform())}],
        "variables": variables,
        "validations": [{
            "expression": format!("variables.isNamespaceUpdate && {OURS_UNCHANGED}"),
            "messageExpression": MESSAGE,
            "message": "this object is kept by PlasmaCloud and cannot be changed here",
            "reason": "Forbidden",
        }],
    }});
    let binding = json!({"spec": {"policyName": NAME, "validationActions": ["Deny"]}});
    [
        Object::new(Kind::Policy, None, NAME, policy),
        Object::new(Kind::PolicyBinding, None, NAME, binding),
    ]
}
