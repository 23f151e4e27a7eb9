//! The kinds of objects the tenancy controller keeps, and one object of them: what it is called and what is in it.

use std::fmt;

use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// First, so that what follows is protected from its beginning.
    Policy,
    PolicyBinding,
    ClusterRole,
    ClusterRoleBinding,
    Namespace,
    Quota,
    Defaults,
    NetworkPolicy,
    Role,
    RoleBinding,
}

struct Served {
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
    in_namespace: bool,
}

const RBAC: &str = "rbac.authorization.k8s.io";
pub const ADMISSION: &str = "admissionregistration.k8s.io";

impl Kind {
    pub const ALL: [Self; 10] = [
        Self::Policy,
        Self::PolicyBinding,
        Self::ClusterRole,
        Self::ClusterRoleBinding,
        Self::Namespace,
        Self::Quota,
        Self::Defaults,
        Self::NetworkPolicy,
        Self::Role,
        Self::RoleBinding,
    ];

    const fn served(self) -> Served {
        let (group, kind, plural, in_namespace) = match self {
            Self::Policy => (
                ADMISSION,
                "ValidatingAdmissionPolicy",
                "validatingadmissionpolicies",
                false,
            ),
            Self::PolicyBinding => (
                ADMISSION,
                "ValidatingAdmissionPolicyBinding",
                "validatingadmissionpolicybindings",
                false,
            ),
            Self::ClusterRole => (RBAC, "ClusterRole", "clusterroles", false),
            Self::ClusterRoleBinding => (RBAC, "ClusterRoleBinding", "clusterrolebindings", false),
            Self::Namespace => ("", "Namespace", "namespaces", false),
            Self::Quota => ("", "ResourceQuota", "resourcequotas", true),
            Self::Defaults => ("", "LimitRange", "limitranges", true),
            Self::NetworkPolicy => ("networking.k8s.io", "NetworkPolicy", "networkpolicies", true),
            Self::Role => (RBAC, "Role", "roles", true),
            Self::RoleBinding => (RBAC, "RoleBinding", "rolebindings", true),
        };
        Served {
            group,
            kind,
            plural,
            in_namespace,
        }
    }

    /// Not served by every release we run.
    pub fn is_admission(self) -> bool {
        matches!(self, Self::Policy | Self::PolicyBinding)
    }

    /// Whether objects of two kinds, one after the other in the order of things, can be made at once: the guard before the
    /// namespaces, these before what is in them, and bindings one by one, so that the last means all are there.
    pub fn goes_with(self, next: Self) -> bool {
        let stage = |kind| match kind {
            Self::Policy | Self::PolicyBinding | Self::ClusterRole | Self::ClusterRoleBinding => Some(0),
            Self::Namespace => Some(1),
            Self::Quota | Self::Defaults | Self::NetworkPolicy | Self::Role => Some(2),
            Self::RoleBinding => None,
        };
        stage(self).is_some() && stage(self) == stage(next)
    }

    pub fn plural(self) -> &'static str {
        self.served().plural
    }

    pub fn resource(self) -> ApiResource {
        let Served {
            group, kind, plural, ..
        } = self.served();
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, "v1", kind), plural)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub kind: Kind,
    pub namespace: Option<String>,
    pub name: String,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind.served().kind)?;
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        f.write_str(&self.name)
    }
}

/// What should be there.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    pub key: Key,
    pub body: Value,
}

/// Marks what the platform keeps. Nobody else may put it on an object, or take it off.
pub const MANAGED: &str = "plasmacloud.io/managed";

impl Object {
    /// `content` is all of it but its address and its label.
    pub fn new(kind: Kind, namespace: Option<&str>, name: &str, content: Value) -> Self {
        let served = kind.served();
        assert_eq!(served.in_namespace, namespace.is_some(), "{} {name}", served.kind);
        let resource = kind.resource();
        let mut body = content;
        body["apiVersion"] = resource.api_version.into();
        body["kind"] = resource.kind.into();
        body["metadata"]["name"] = name.into();
        if let Some(namespace) = namespace {
            body["metadata"]["namespace"] = namespace.into();
        }
        body["metadata"]["labels"][MANAGED] = "true".into();
        Self {
            key: Key {
                kind,
                namespace: namespace.map(str::to_owned),
                name: name.to_owned(),
            },
            body,
        }
    }

    /// Whether what was found is this. Labels and annotations may be there beside ours; anything else may not. What a
    /// namespace holds apart from them is not ours.
    pub fn is_met_by(&self, found: &Value) -> bool {
        let none = json!({});
        let ours = |part: &str| {
            let found = found.pointer(part).unwrap_or(&none);
            let wanted = self.body.pointer(part).and_then(Value::as_object);
            wanted.is_none_or(|wanted| wanted.iter().all(|(key, value)| found.get(key) == Some(value)))
        };
        let content = |body: &Value| {
            let mut content = body.as_object().cloned().unwrap_or_default();
            for part in ["apiVersion", "kind", "metadata", "status"] {
                content.remove(part);
            }
            content
        };
        ours("/metadata/labels")
            && ours("/metadata/annotations")
            && (self.key.kind == Kind::Namespace || content(found) == content(&self.body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quota() -> Object {
        Object::new(
            Kind::Quota,
            Some("n"),
            "q",
            json!({"spec": {"hard": {"pods": "5"}}}),
        )
    }

    #[test]
    fn labels_beside_ours_are_no_drift_and_anything_in_the_spec_is() {
        let mut found = quota().body;
        found["metadata"]["labels"]["theirs"] = "x".into();
        found["metadata"]["uid"] = "u".into();
        found["status"] = json!({"used": {}});
        assert!(quota().is_met_by(&found));
        found["spec"]["hard"]["secrets"] = "0".into();
        assert!(!quota().is_met_by(&found));
        let mut unlabelled = quota().body;
        unlabelled["metadata"]["labels"] = json!({});
        assert!(!quota().is_met_by(&unlabelled));
    }

    #[test]
    fn only_the_names_on_a_namespace_are_ours() {
        let namespace = Object::new(Kind::Namespace, None, "n", json!({}));
        let mut found = namespace.body.clone();
        found["spec"] = json!({"finalizers": ["kubernetes"]});
        assert!(namespace.is_met_by(&found));
    }

    #[test]
    fn a_key_reads_as_kubectl_would_say_it() {
        assert_eq!(quota().key.to_string(), "ResourceQuota n/q");
    }
}
