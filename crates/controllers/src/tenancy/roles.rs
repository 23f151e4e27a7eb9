//! What people and programs of a tenant may do inside a cluster. Roles are bound to groups that name a role as well
//! (`project:<id>:viewer`): the groups without one are carried by every member, and whatever was bound to them
//! everybody would have.

use serde_json::{Value, json};
use types::{OrgId, ProjectId};

use super::object::{Kind, Object};

const GROUP: &str = "rbac.authorization.k8s.io";
const READ: [&str; 3] = ["get", "list", "watch"];
const WORK: [&str; 8] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
];

pub fn of_project(namespace: &str, org: &OrgId, project: &ProjectId) -> Vec<Object> {
    let of_project = |role: &str| format!("project:{project}:{role}");
    let mut all = org_admin(namespace, org);
    all.extend(bound(
        namespace,
        "project-admin",
        &of_project("admin"),
        project_admin(),
    ));
    all.extend(bound(
        namespace,
        "project-member",
        &of_project("member"),
        project_member(),
    ));
    all.extend(bound(
        namespace,
        "project-viewer",
        &of_project("viewer"),
        project_viewer(),
    ));
    all
}

pub fn of_shared(namespace: &str, org: &OrgId) -> Vec<Object> {
    org_admin(namespace, org)
}

/// For the platform's own people: what belongs to no tenant.
pub fn of_the_cluster() -> [Object; 2] {
    let name = "plasmacloud-cluster-admin";
    let rules = json!([
        rule(&[""], &["nodes", "persistentvolumes"], &["*"]),
        rule(&["storage.k8s.io"], &["storageclasses"], &["*"]),
    ]);
    [
        Object::new(Kind::ClusterRole, None, name, json!({"rules": rules})),
        Object::new(
            Kind::ClusterRoleBinding,
            None,
            &binding_name(name),
            binding("ClusterRole", name, "system:plasmacloud-admins"),
        ),
    ]
}

fn org_admin(namespace: &str, org: &OrgId) -> Vec<Object> {
    let rules = json!([rule(&["*"], &["*"], &["*"])]);
    bound(namespace, "org-admin", &format!("org:{org}:admin"), rules)
}

fn project_admin() -> Value {
    let groups = ["", "apps", "batch", "networking.k8s.io", "storage.k8s.io"];
    json!([rule(&groups, &["*"], &["*"])])
}

/// Works on what runs and on what that needs, within what an admin may. Reads, but does not change, what limits it:
/// quotas, policies, service accounts.
fn project_member() -> Value {
    json!([
        rule(
            &[""],
            &[
                "configmaps",
                "endpoints",
                "persistentvolumeclaims",
                "pods",
                "pods/attach",
                "pods/ephemeralcontainers",
                "pods/eviction",
                "pods/exec",
                "pods/log",
                "pods/portforward",
                "replicationcontrollers",
                "replicationcontrollers/scale",
                "secrets",
                "services",
            ],
            &WORK
        ),
        rule(
            &["apps"],
            &[
                "daemonsets",
                "deployments",
                "deployments/scale",
                "replicasets",
                "replicasets/scale",
                "statefulsets",
                "statefulsets/scale",
            ],
            &WORK
        ),
        rule(&["batch"], &["cronjobs", "jobs"], &WORK),
        rule(&["networking.k8s.io"], &["ingresses"], &WORK),
        rule(
            &[""],
            &["events", "limitranges", "resourcequotas", "serviceaccounts"],
            &READ
        ),
        rule(&["apps"], &["controllerrevisions"], &READ),
        rule(&["networking.k8s.io"], &["networkpolicies"], &READ),
    ])
}

fn project_viewer() -> Value {
    let groups = ["", "apps", "batch", "networking.k8s.io"];
    let resources = [
        "pods",
        "services",
        "deployments",
        "replicasets",
        "configmaps",
        "secrets",
    ];
    json!([
        rule(&groups, &resources, &READ),
        rule(&[""], &["pods/log"], &["get", "list"]),
    ])
}

fn rule(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Value {
    json!({"apiGroups": groups, "resources": resources, "verbs": verbs})
}

fn bound(namespace: &str, role: &str, group: &str, rules: Value) -> Vec<Object> {
    vec![
        Object::new(Kind::Role, Some(namespace), role, json!({"rules": rules})),
        Object::new(
            Kind::RoleBinding,
            Some(namespace),
            &binding_name(role),
            binding("Role", role, group),
        ),
    ]
}

fn binding_name(role: &str) -> String {
    format!("{role}-binding")
}

fn binding(kind: &str, role: &str, group: &str) -> Value {
    json!({
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role},
        "subjects": [{"apiGroup": GROUP, "kind": "Group", "name": group}],
    })
}
