//! The files `kubectl` works with.

use ::cluster::{
    kubeconfig::{Kubeconfig, Proof},
    material::{ADMIN_GROUP, ClusterMaterial, SUPER_ADMIN_GROUP},
};
use types::{
    Fault, Principal, ProjectId, Secret, cluster::Cluster, kubeconfig::CertificateKind,
    tenancy::project_namespace,
};

use super::Ops;
use crate::{desired::target, records};

/// How the API is called inside a cluster.
const INTERNAL: &str = "https://kubernetes.default.svc";

impl Ops {
    /// For everybody: who one is, `cloud` says each time. Nothing in it is secret.
    pub async fn kubeconfig(
        &self,
        project: &ProjectId,
        reference: &str,
        namespace: Option<&str>,
    ) -> Result<Secret, Fault> {
        let cluster = records::find_seen(&*self.world.store, project, reference).await?;
        let (cluster, material) = self.with_keys(&cluster.project, cluster.id.as_str()).await?;
        let name = cluster.name.as_str();
        let config = Kubeconfig {
            cluster: name,
            user: &format!("{name}-iam"),
            context: name,
            server: self.endpoint(),
            tls_server_name: Some(&cluster.server_name),
            ca_pem: &material.ca.cert_pem,
            namespace: Some(namespace.map_or_else(|| project_namespace(project), str::to_owned)),
            proof: Proof::Token {
                cluster: cluster.id.as_str(),
                project: project.as_str(),
            },
        };
        Ok(config.render())
    }

    /// With a certificate made for this caller now, which ends within a day.
    pub async fn administrator(
        &self,
        caller: &Principal,
        project: &ProjectId,
        reference: &str,
        kind: CertificateKind,
    ) -> Result<Secret, Fault> {
        let (cluster, material) = self.with_keys(project, reference).await?;
        let group = if kind.is_super() {
            SUPER_ADMIN_GROUP
        } else {
            ADMIN_GROUP
        };
        let leaf = material.administrator(&caller.name, &[group], self.world.clock.now())?;
        let name = cluster.name.as_str();
        let (server, sni) = if kind.is_internal() {
            (INTERNAL.to_owned(), None)
        } else {
            (self.endpoint(), Some(cluster.server_name.as_str()))
        };
        let user = format!("{name}-{}", if kind.is_super() { "super-admin" } else { "admin" });
        let config = Kubeconfig {
            cluster: name,
            user: &user,
            context: &user,
            server,
            tls_server_name: sni,
            ca_pem: &material.ca.cert_pem,
            namespace: None,
            proof: Proof::Certificate(&leaf),
        };
        Ok(config.render())
    }

    async fn with_keys(
        &self,
        project: &ProjectId,
        reference: &str,
    ) -> Result<(Cluster, ClusterMaterial), Fault> {
        let cluster = records::find_own(&*self.world.store, project, reference)
            .await?
            .value;
        match target::cluster_material(&self.world, &cluster.id).await? {
            Some(material) => Ok((cluster, material)),
            None => Err(Fault::conflict(
                "cluster-not-ready",
                format!("the keys of '{}' are not made yet", cluster.name),
                "wait until 'cloud k8s list' shows it RUNNING",
            )),
        }
    }

    pub(super) fn endpoint(&self) -> String {
        format!("https://{}", self.world.settings.endpoint)
    }
}
