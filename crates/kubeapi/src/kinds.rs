//! Where objects of a kind live. The kinds the platform uses are known, so that applying them costs one request each;
//! for others the cluster is asked.

use kube::{
    Client,
    core::{ApiResource, GroupVersionKind},
};
use types::Fault;

use crate::error::{CallError, is_not_found};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Cluster,
    Namespaced,
}

use Scope::{Cluster, Namespaced};

const RBAC: &str = "rbac.authorization.k8s.io";

/// Group, kind, the plural in its path, scope.
const KNOWN: &[(&str, &str, &str, Scope)] = &[
    ("", "ConfigMap", "configmaps", Namespaced),
    ("", "Endpoints", "endpoints", Namespaced),
    ("", "LimitRange", "limitranges", Namespaced),
    ("", "Namespace", "namespaces", Cluster),
    ("", "Node", "nodes", Cluster),
    ("", "PersistentVolume", "persistentvolumes", Cluster),
    ("", "PersistentVolumeClaim", "persistentvolumeclaims", Namespaced),
    ("", "Pod", "pods", Namespaced),
    ("", "ResourceQuota", "resourcequotas", Namespaced),
    ("", "Secret", "secrets", Namespaced),
    ("", "Service", "services", Namespaced),
    ("", "ServiceAccount", "serviceaccounts", Namespaced),
    (
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        Cluster,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        "validatingadmissionpolicies",
        Cluster,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
        "validatingadmissionpolicybindings",
        Cluster,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        Cluster,
    ),
    (
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        Cluster,
    ),
    ("apiregistration.k8s.io", "APIService", "apiservices", Cluster),
    ("apps", "DaemonSet", "daemonsets", Namespaced),
    ("apps", "Deployment", "deployments", Namespaced),
    ("apps", "StatefulSet", "statefulsets", Namespaced),
    ("batch", "CronJob", "cronjobs", Namespaced),
    ("batch", "Job", "jobs", Namespaced),
    ("discovery.k8s.io", "EndpointSlice", "endpointslices", Namespaced),
    ("networking.k8s.io", "IngressClass", "ingressclasses", Cluster),
    (
        "networking.k8s.io",
        "NetworkPolicy",
        "networkpolicies",
        Namespaced,
    ),
    (
        "policy",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        Namespaced,
    ),
    (RBAC, "ClusterRole", "clusterroles", Cluster),
    (RBAC, "ClusterRoleBinding", "clusterrolebindings", Cluster),
    (RBAC, "Role", "roles", Namespaced),
    (RBAC, "RoleBinding", "rolebindings", Namespaced),
    ("node.k8s.io", "RuntimeClass", "runtimeclasses", Cluster),
    ("scheduling.k8s.io", "PriorityClass", "priorityclasses", Cluster),
    ("storage.k8s.io", "CSIDriver", "csidrivers", Cluster),
    ("storage.k8s.io", "StorageClass", "storageclasses", Cluster),
];

pub(crate) async fn find(client: &Client, gvk: &GroupVersionKind) -> Result<(ApiResource, Scope), CallError> {
    let (plural, scope) = match known(gvk) {
        Some((plural, scope)) => (plural.to_owned(), scope),
        None => ask(client, gvk).await?,
    };
    Ok((ApiResource::from_gvk_with_plural(gvk, &plural), scope))
}

fn known(gvk: &GroupVersionKind) -> Option<(&'static str, Scope)> {
    let found = KNOWN
        .iter()
        .find(|(group, kind, ..)| *group == gvk.group && *kind == gvk.kind)?;
    Some((found.2, found.3))
}

async fn ask(client: &Client, gvk: &GroupVersionKind) -> Result<(String, Scope), CallError> {
    let answer = if gvk.group.is_empty() {
        client.list_core_api_resources(&gvk.version).await
    } else {
        client.list_api_group_resources(&gvk.api_version()).await
    };
    let served = match answer {
        Ok(list) => list.resources,
        Err(error) if is_not_found(&error) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    // A subresource has the kind of its parent and a slash in its name.
    let found = served
        .into_iter()
        .find(|r| r.kind == gvk.kind && !r.name.contains('/'));
    found
        .map(|r| (r.name, if r.namespaced { Namespaced } else { Cluster }))
        .ok_or_else(|| unserved(gvk).into())
}

/// Worth another try: a kind is served a moment after its definition was applied.
fn unserved(gvk: &GroupVersionKind) -> Fault {
    Fault::unavailable(
        "cluster-kind-unknown",
        format!(
            "the cluster serves no kind '{}' of {}",
            gvk.kind,
            gvk.api_version()
        ),
        "if its definition was applied just now it is served in a moment; otherwise apply the definition first",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_kind_is_known_once() {
        let distinct: BTreeSet<_> = KNOWN.iter().map(|(group, kind, ..)| (group, kind)).collect();
        assert_eq!(distinct.len(), KNOWN.len());
    }

    #[test]
    fn the_group_counts() {
        assert_eq!(
            known(&GroupVersionKind::gvk("", "v1", "Service")),
            Some(("services", Namespaced))
        );
        assert_eq!(
            known(&GroupVersionKind::gvk("serving.knative.dev", "v1", "Service")),
            None
        );
    }
}
