//! How far a cluster has come with what was granted in it.

use std::{collections::BTreeMap, time::Duration};

use futures::future::join_all;
use serde_json::{Value, json};
use types::{
    Fault, ProjectId,
    cluster::Cluster,
    grant::{GrantRole, Granted},
    tenancy::grant_binding,
};

use super::Ops;
use crate::{desired::target, recipes, records};

/// Somebody waits for the answer, and "unknown" is one.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InForce {
    Yes,
    /// There is no such namespace, or its controllers have not come to it.
    Waiting,
    Unknown,
}

impl Ops {
    /// Of each in turn. A cluster that can keep none is a fault.
    pub async fn in_force(
        &self,
        project: &ProjectId,
        reference: &str,
        granted: &[Granted],
    ) -> Result<Vec<InForce>, Fault> {
        let world = &*self.world;
        let cluster = records::find::<Cluster>(&*world.store, project, reference)
            .await?
            .value;
        let recipe = recipes::pinned(world, &cluster.pins.recipe).await?;
        if !engine_hosted::keeps_grants(&recipe) {
            return Err(Fault::refused(
                "cluster-too-old",
                format!(
                    "the cluster '{}' was made by a release that knew nothing of grants and shared clusters",
                    cluster.name
                ),
                "make a new cluster, or give a role in the project",
            ));
        }
        let Some(material) = target::cluster_material(world, &cluster.id).await? else {
            return Ok(vec![InForce::Unknown; granted.len()]);
        };
        let target = &target::api_target(world, &cluster, &material);
        // Several may rest on one binding.
        let mut asked: BTreeMap<&Granted, InForce> = BTreeMap::new();
        asked.extend(granted.iter().map(|granted| (granted, InForce::Unknown)));
        let ask = |granted: &Granted| {
            let object = binding(granted);
            async move {
                match tokio::time::timeout(PATIENCE, world.api.has(target, &object)).await {
                    Ok(Ok(true)) => InForce::Yes,
                    Ok(Ok(false)) => InForce::Waiting,
                    Ok(Err(_)) | Err(_) => InForce::Unknown,
                }
            }
        };
        let answers = join_all(asked.keys().map(|granted| ask(granted))).await;
        for (state, answer) in asked.values_mut().zip(answers) {
            *state = answer;
        }
        Ok(granted.iter().map(|granted| asked[granted]).collect())
    }
}

/// What is there when it is in force. Working everywhere is bound wherever there is a namespace, looking everywhere once.
fn binding(granted: &Granted) -> Value {
    let (kind, metadata) = match &granted.namespace {
        Some(namespace) => (
            "RoleBinding",
            json!({"namespace": namespace.as_str(), "name": grant_binding(granted.role)}),
        ),
        None if granted.role == GrantRole::Viewer => {
            ("ClusterRoleBinding", json!({"name": grant_binding(granted.role)}))
        }
        None => (
            "RoleBinding",
            json!({"namespace": "default", "name": grant_binding(granted.role)}),
        ),
    };
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        "metadata": metadata,
    })
}
