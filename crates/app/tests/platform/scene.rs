//! A cluster that runs, a second project beside its own, and what the edge and the cluster are told of both.

use std::{path::Path, sync::Arc};

use app::{default_org, default_project};
use iam::review::Review;
use ports::{Clock, compute::Content};
use types::{
    Fault, MachineId, Principal, ProjectId,
    cluster::Cluster,
    grant::{GrantRole, Granted},
    machine::Machine,
    tenancy::Tenancy,
    tenant::{Place, Project, Quota, Role},
};
use workflow::NoProbe;

use crate::{
    harness::{Host, Life},
    second_thoughts::spec,
    tenants::member,
};

/// The platform with these clusters, running; the edge was told.
pub async fn started(host: &Host, names: &[&str]) -> Life {
    let life = host.start(Arc::new(NoProbe));
    life.lab().await;
    for name in names {
        let name = name.parse().unwrap();
        let made = life.ops.create_cluster(&default_project(), name, spec()).await;
        made.unwrap();
    }
    life.settle().await.unwrap();
    publish(&life).await;
    life
}

pub async fn publish(life: &Life) {
    life.publisher.lock().await.turn().await.unwrap();
}

/// A cluster with its control plane.
pub async fn found(host: &Host, life: &Life, name: &str) -> (Cluster, Machine) {
    let detail = life.ops.get_cluster(&default_project(), name).await.unwrap();
    let machines = app::records::children::<Machine>(&host.store, detail.cluster.id.as_str()).await;
    let mut machines = machines.unwrap().into_iter().map(|machine| machine.value);
    let plane = machines.find(|machine| !machine.is_worker()).unwrap();
    (detail.cluster, plane)
}

/// What a machine reads there.
pub fn file(host: &Host, machine: &MachineId, path: &str) -> String {
    match host.world.compute().file(machine, Path::new(path)) {
        Some(Content::Text(text)) => text,
        other => panic!("{path}: {other:?}"),
    }
}

pub struct Scene {
    pub host: Host,
    pub life: Life,
    pub root: Principal,
    /// Beside the one the cluster is in.
    pub blog: Project,
    pub cluster: Cluster,
    plane: Machine,
}

impl Scene {
    pub async fn new() -> Self {
        let host = Host::new();
        let life = started(&host, &["dev"]).await;
        let root = life.tenants.root().await.unwrap();
        let blog = life
            .tenants
            .create_project(&root, &default_org(), "blog".parse().unwrap(), Quota::default())
            .await
            .unwrap();
        let (cluster, plane) = found(&host, &life, "dev").await;
        Self {
            host,
            life,
            root,
            blog,
            cluster,
            plane,
        }
    }

    pub fn in_blog(&self) -> Place {
        Place::Project(default_org(), self.blog.id.clone())
    }

    pub async fn invited(&self, email: &str, place: Place, role: Role) -> Principal {
        let pair = member(&self.life, place, role, email).await;
        self.life.tenants.authenticate(&pair.access).await.unwrap()
    }

    /// By the platform's first administrator.
    pub async fn grant(&self, who: &str, role: GrantRole, namespace: Option<&str>) -> Result<(), Fault> {
        let granted = Granted {
            role,
            namespace: namespace.map(|n| n.parse().unwrap()),
        };
        let tenants = &self.life.tenants;
        let made = tenants
            .grant(&self.root, &default_project(), "dev", who, granted)
            .await;
        made.map(drop)
    }

    /// What the cluster is told about somebody's token for it, got in that project.
    pub async fn review(&self, who: &Principal, project: &ProjectId) -> Review {
        publish(&self.life).await;
        let tenants = &self.life.tenants;
        let fresh = tenants.cluster_token(who, project, &self.cluster.id).await;
        let config = self.host.world.edge().config().unwrap();
        config.identity.unwrap().snapshot.review(
            &self.cluster.network,
            &self.cluster.id,
            fresh.unwrap().token.expose_str().unwrap(),
            self.host.clock.now(),
        )
    }

    /// What the cluster's controllers read.
    pub async fn told(&self) -> Tenancy {
        self.life.settle().await.unwrap();
        let text = file(&self.host, &self.plane.id, types::tenancy::TENANCY_PATH);
        serde_json::from_str(&text).unwrap()
    }
}
