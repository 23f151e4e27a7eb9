//! What is kept, by name.

use std::{collections::BTreeSet, time::Duration};

use e2e::{Cluster, eventually};

use super::person::Place;

const SECONDS: Duration = Duration::from_secs(5);

pub fn there(place: &Place<'_>) {
    let wanted: BTreeSet<String> = [
        "LimitRange project-defaults",
        "NetworkPolicy default-deny-all",
        "ResourceQuota project-compute-quota",
        "ResourceQuota project-object-quota",
        "ResourceQuota project-storage-quota",
        "Role org-admin",
        "Role project-admin",
        "Role project-member",
        "Role project-viewer",
        "RoleBinding org-admin-binding",
        "RoleBinding project-admin-binding",
        "RoleBinding project-member-binding",
        "RoleBinding project-viewer-binding",
    ]
    .map(str::to_owned)
    .into();
    eventually("everything is in the namespace", SECONDS, || {
        let found = managed(place.cluster, &place.namespace)?;
        if found == wanted {
            Ok(())
        } else {
            Err(format!("{found:?}"))
        }
    });
    assert_eq!(place.namespace, format!("project-{}", place.project));
    let namespace = place.cluster.get(&["namespace", &place.namespace]).expect("it");
    let labels = &namespace["metadata"]["labels"];
    assert_eq!(
        labels["pod-security.kubernetes.io/enforce"], "baseline",
        "{labels}"
    );
    let annotations = &namespace["metadata"]["annotations"];
    assert!(
        annotations["plasmacloud.io/project-name"].is_string(),
        "{annotations}"
    );
    assert!(
        annotations["plasmacloud.io/created-by"].is_string(),
        "{annotations}"
    );
    place
        .cluster
        .get(&["clusterrole", "plasmacloud-cluster-admin"])
        .expect("it is there");
}

/// Kinds and names of what is ours in a namespace.
pub fn managed(cluster: &Cluster<'_>, namespace: &str) -> Result<BTreeSet<String>, String> {
    let kinds = "limitranges,networkpolicies,resourcequotas,roles,rolebindings";
    let found = cluster.get(&["-n", namespace, kinds, "-l", "plasmacloud.io/managed=true"])?;
    let items = found["items"].as_array().cloned().unwrap_or_default();
    let named = items.iter().map(|item| {
        let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        format!("{} {}", word(&item["kind"]), word(&item["metadata"]["name"]))
    });
    Ok(named.collect())
}

pub fn default_is_ordinary(cluster: &Cluster<'_>) {
    assert_eq!(managed(cluster, "default"), Ok(BTreeSet::new()));
    let namespace = cluster.get(&["namespace", "default"]).expect("it");
    let labels = namespace["metadata"]["labels"].as_object().expect("labels");
    assert_eq!(labels.keys().collect::<Vec<_>>(), ["kubernetes.io/metadata.name"]);
}
