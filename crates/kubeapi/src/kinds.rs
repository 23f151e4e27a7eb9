//! Where objects of a kind live. The kinds the platform uses are known, so that applying them costs one request each;
//! for others the cluster is asked.

use k8s_openapi::{
    ClusterResourceScope, NamespaceResourceScope, Resource,
    api::{
        admissionregistration::v1 as admissionregistration, apps::v1 as apps, batch::v1 as batch,
        core::v1 as core, discovery::v1 as discovery, networking::v1 as networking, node::v1 as node,
        policy::v1 as policy, rbac::v1 as rbac, scheduling::v1 as scheduling, storage::v1 as storage,
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    kube_aggregator::pkg::apis::apiregistration::v1::APIService,
};
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

/// The scope of a type of the Kubernetes API, as a value.
trait Scoped {
    const SCOPE: Scope;
}

impl Scoped for ClusterResourceScope {
    const SCOPE: Scope = Scope::Cluster;
}

impl Scoped for NamespaceResourceScope {
    const SCOPE: Scope = Scope::Namespaced;
}

struct Known {
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
    scope: Scope,
}

const fn known<K: Resource<Scope: Scoped>>() -> Known {
    Known {
        group: K::GROUP,
        kind: K::KIND,
        plural: K::URL_PATH_SEGMENT,
        scope: K::Scope::SCOPE,
    }
}

const KNOWN: &[Known] = &[
    known::<core::ConfigMap>(),
    known::<core::LimitRange>(),
    known::<core::Namespace>(),
    known::<core::Node>(),
    known::<core::PersistentVolume>(),
    known::<core::PersistentVolumeClaim>(),
    known::<core::Pod>(),
    known::<core::ResourceQuota>(),
    known::<core::Secret>(),
    known::<core::Service>(),
    known::<core::ServiceAccount>(),
    known::<apps::DaemonSet>(),
    known::<apps::Deployment>(),
    known::<apps::StatefulSet>(),
    known::<batch::CronJob>(),
    known::<batch::Job>(),
    known::<discovery::EndpointSlice>(),
    known::<networking::IngressClass>(),
    known::<networking::NetworkPolicy>(),
    known::<node::RuntimeClass>(),
    known::<policy::PodDisruptionBudget>(),
    known::<rbac::ClusterRole>(),
    known::<rbac::ClusterRoleBinding>(),
    known::<rbac::Role>(),
    known::<rbac::RoleBinding>(),
    known::<scheduling::PriorityClass>(),
    known::<storage::CSIDriver>(),
    known::<storage::StorageClass>(),
    known::<admissionregistration::MutatingWebhookConfiguration>(),
    known::<admissionregistration::ValidatingAdmissionPolicy>(),
    known::<admissionregistration::ValidatingAdmissionPolicyBinding>(),
    known::<admissionregistration::ValidatingWebhookConfiguration>(),
    known::<CustomResourceDefinition>(),
    known::<APIService>(),
];

pub(crate) async fn find(client: &Client, gvk: &GroupVersionKind) -> Result<(ApiResource, Scope), CallError> {
    let (plural, scope) = match look_up(gvk) {
        Some(known) => (known.plural.to_owned(), known.scope),
        None => ask(client, gvk).await?,
    };
    Ok((ApiResource::from_gvk_with_plural(gvk, &plural), scope))
}

fn look_up(gvk: &GroupVersionKind) -> Option<&'static Known> {
    KNOWN
        .iter()
        .find(|known| known.group == gvk.group && known.kind == gvk.kind)
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
        .map(|r| {
            (
                r.name,
                if r.namespaced {
                    Scope::Namespaced
                } else {
                    Scope::Cluster
                },
            )
        })
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
        let distinct: BTreeSet<_> = KNOWN.iter().map(|known| (known.group, known.kind)).collect();
        assert_eq!(distinct.len(), KNOWN.len());
    }

    #[test]
    fn the_group_counts() {
        let found = look_up(&GroupVersionKind::gvk("", "v1", "Service")).unwrap();
        assert_eq!((found.plural, found.scope), ("services", Scope::Namespaced));
        assert!(look_up(&GroupVersionKind::gvk("serving.knative.dev", "v1", "Service")).is_none());
    }
}
