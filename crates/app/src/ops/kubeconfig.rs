//! The file `kubectl` works with.

use ::cluster::kubeconfig::Kubeconfig;
use types::{Fault, ProjectId, Secret, cluster::Cluster};

use super::Ops;
use crate::{desired::target, records};

impl Ops {
    pub async fn kubeconfig(&self, project: &ProjectId, reference: &str) -> Result<Secret, Fault> {
        let cluster = records::find::<Cluster>(&*self.world.store, project, reference)
            .await?
            .value;
        let Some(material) = target::cluster_material(&self.world, &cluster.id).await? else {
            return Err(Fault::conflict(
                "cluster-not-ready",
                format!("the keys of '{}' are not made yet", cluster.name),
                "wait until 'cloud k8s list' shows it RUNNING",
            ));
        };
        let name = cluster.name.as_str();
        let config = Kubeconfig {
            cluster: name,
            user: &format!("{name}-admin"),
            server: self.endpoint(),
            tls_server_name: Some(&cluster.server_name),
            ca_pem: &material.ca.cert_pem,
            client: &material.admin,
        };
        Ok(config.render())
    }

    pub(super) fn endpoint(&self) -> String {
        format!("https://{}", self.world.settings.endpoint)
    }
}
