//! What people and programs of a tenant may do inside a cluster. Roles are bound to groups that name a role as well
//! (`project:<id>:viewer`): the groups without one are carried by every member, and whatever was bound to them
//! everybody would have.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use types::{
    ClusterId, OrgId, ProjectId,
    grant::{GrantRole, Granted},
    tenancy::{grant_binding, grant_role},
};

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
            binding("ClusterRole", name, &["system:plasmacloud-admins".to_owned()]),
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

/// A project's viewer without its secrets: a grant may reach further than one namespace, and a secret may be somebody.
fn grant_viewer() -> Value {
    json!([
        rule(
            &[""],
            &[
                "configmaps",
                "endpoints",
                "events",
                "limitranges",
                "persistentvolumeclaims",
                "pods",
                "pods/log",
                "replicationcontrollers",
                "resourcequotas",
                "serviceaccounts",
                "services",
            ],
            &READ
        ),
        rule(
            &["apps"],
            &[
                "controllerrevisions",
                "daemonsets",
                "deployments",
                "replicasets",
                "statefulsets",
            ],
            &READ
        ),
        rule(&["batch"], &["cronjobs", "jobs"], &READ),
        rule(&["networking.k8s.io"], &["ingresses", "networkpolicies"], &READ),
    ])
}

/// What is in no namespace, to look at.
fn grant_cluster() -> Value {
    json!([
        rule(&[""], &["namespaces", "nodes", "persistentvolumes"], &READ),
        rule(&["storage.k8s.io"], &["storageclasses"], &READ),
    ])
}

/// The roles that grants hand out. Looking is bound in the whole cluster; working is bound in each namespace, so that
/// none of Kubernetes' own is among them.
pub fn of_grants(cluster: &ClusterId) -> Vec<Object> {
    let everywhere = Granted {
        role: GrantRole::Viewer,
        namespace: None,
    };
    let viewers = everywhere.group(cluster);
    let of_cluster = "plasmacloud-grant-cluster";
    let mut all = vec![Object::new(
        Kind::ClusterRole,
        None,
        of_cluster,
        json!({"rules": grant_cluster()}),
    )];
    for role in GrantRole::ALL {
        let rules = match role {
            GrantRole::Viewer => grant_viewer(),
            GrantRole::Member => project_member(),
            GrantRole::Admin => project_admin(),
        };
        let content = json!({"rules": rules});
        all.push(Object::new(Kind::ClusterRole, None, &grant_role(role), content));
    }
    for role in [of_cluster.to_owned(), grant_role(GrantRole::Viewer)] {
        let content = binding("ClusterRole", &role, std::slice::from_ref(&viewers));
        let name = binding_name(&role);
        all.push(Object::new(Kind::ClusterRoleBinding, None, &name, content));
    }
    all
}

/// What is granted in a namespace, there or everywhere. Looking everywhere needs nothing in it.
pub fn granted_in(namespace: &str, cluster: &ClusterId, grants: &BTreeSet<Granted>) -> Vec<Object> {
    let here = |granted: &&Granted| match &granted.namespace {
        Some(place) => place.as_str() == namespace,
        None => granted.role != GrantRole::Viewer,
    };
    let mut groups: BTreeMap<GrantRole, Vec<String>> = BTreeMap::new();
    for granted in grants.iter().filter(here) {
        groups
            .entry(granted.role)
            .or_default()
            .push(granted.group(cluster));
    }
    let bound = |(role, groups): (GrantRole, Vec<String>)| {
        let content = binding("ClusterRole", &grant_role(role), &groups);
        Object::new(Kind::RoleBinding, Some(namespace), &grant_binding(role), content)
    };
    groups.into_iter().map(bound).collect()
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
            binding("Role", role, &[group.to_owned()]),
        ),
    ]
}

fn binding_name(role: &str) -> String {
    format!("{role}-binding")
}

fn binding(kind: &str, role: &str, groups: &[String]) -> Value {
    let subject = |group: &String| json!({"apiGroup": GROUP, "kind": "Group", "name": group});
    json!({
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role},
        "subjects": groups.iter().map(subject).collect::<Vec<_>>(),
    })
}
