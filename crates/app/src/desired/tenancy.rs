//! Whose a cluster is, for the controller inside it that keeps namespaces for its tenants.

use std::collections::BTreeSet;

use ::cluster::recipe::Recipe;
use ports::store::Entity;
use serde_json::{Value, json};
use types::{
    Fault, Timestamp,
    cluster::Cluster,
    grant::{ClusterGrant, Granted},
    share::ClusterShare,
    tenancy::{LAST_BINDING, NamespaceLimits, Tenancy, TenantProject, project_namespace},
    tenant::{Project, Quota},
};

use crate::{World, records};

/// The cluster's own project, which cannot be deleted while it has clusters, and those it is or was shared with.
pub async fn render(world: &World, recipe: &Recipe, cluster: &Cluster) -> Result<Tenancy, Fault> {
    let project = records::get::<Project>(&*world.store, cluster.project.as_str()).await?;
    let project = project.ok_or_else(|| {
        let cause = format!("the project {} of a cluster is not on the books", cluster.project);
        Fault::internal("project-gone", cause)
    })?;
    let project = project.value;
    let org = project.org.clone();
    let mut projects = vec![tenant(cluster, project, None)];
    for share in of_cluster::<ClusterShare>(world, cluster).await? {
        let now = records::get::<Project>(&*world.store, share.with.id.as_str()).await?;
        let with = now.map_or(share.with, |project| project.value);
        projects.push(tenant(cluster, with, share.remove_after));
    }
    Ok(Tenancy {
        cluster: cluster.id.clone(),
        // What all projects use outlives the last of the others: it is the organisation's.
        shared: if projects.len() > 1 { vec![org] } else { Vec::new() },
        projects,
        grants: match engine_hosted::keeps_grants(recipe) {
            true => Some(granted(world, cluster).await?),
            false => None,
        },
    })
}

fn tenant(cluster: &Cluster, project: Project, remove_after: Option<Timestamp>) -> TenantProject {
    TenantProject {
        limits: limits(&project.quota),
        id: project.id,
        org: project.org,
        name: project.name,
        created_by: project.created_by,
        pod_security: cluster.spec.pod_security,
        remove_after,
    }
}

/// In the order of their ids, so that the same books render the same file.
async fn of_cluster<T: Entity>(world: &World, cluster: &Cluster) -> Result<Vec<T>, Fault> {
    let all = records::within::<T>(&*world.store, cluster.id.as_str()).await?;
    let mut all: Vec<T> = all.into_iter().map(|found| found.value).collect();
    all.sort_by(|a, b| a.id().cmp(b.id()));
    Ok(all)
}

/// Whoever has it: who that is the cluster learns with each of their tokens, and need not be told.
async fn granted(world: &World, cluster: &Cluster) -> Result<BTreeSet<Granted>, Fault> {
    let all = of_cluster::<ClusterGrant>(world, cluster).await?;
    Ok(all.into_iter().map(|grant| grant.granted).collect())
}

/// Requests may reach what the project may have of machines, limits twice that as by default. What its quota leaves
/// open is as by default.
fn limits(quota: &Quota) -> NamespaceLimits {
    let default = NamespaceLimits::default();
    NamespaceLimits {
        requests_cpu: quota.vcpu.unwrap_or(default.requests_cpu),
        limits_cpu: quota.vcpu.map_or(default.limits_cpu, |n| n.saturating_mul(2)),
        requests_memory: quota.memory.unwrap_or(default.requests_memory),
        limits_memory: quota
            .memory
            .map_or(default.limits_memory, |n| types::Bytes(n.0.saturating_mul(2))),
        requests_storage: quota.storage.unwrap_or(default.requests_storage),
        load_balancers: quota.loadbalancers.unwrap_or(default.load_balancers),
        ..default
    }
}

/// Where the object is that stands for all of them.
pub fn last_made(cluster: &Cluster) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"namespace": project_namespace(&cluster.project), "name": LAST_BINDING},
    })
}

#[cfg(test)]
mod tests {
    use types::Bytes;

    use super::*;

    #[test]
    fn a_projects_quota_is_its_namespaces_and_what_it_leaves_open_is_as_by_default() {
        assert_eq!(limits(&Quota::default()), NamespaceLimits::default());
        let quota = Quota {
            vcpu: Some(32),
            memory: Some(Bytes::gib(64)),
            loadbalancers: Some(0),
            ..Quota::default()
        };
        let limits = limits(&quota);
        assert_eq!((limits.requests_cpu, limits.limits_cpu), (32, 64));
        assert_eq!(limits.limits_memory, Bytes::gib(128));
        assert_eq!(limits.load_balancers, 0);
        assert_eq!(
            limits.requests_storage,
            NamespaceLimits::default().requests_storage
        );
    }
}
