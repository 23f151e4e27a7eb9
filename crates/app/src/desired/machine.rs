//! A machine as it should be, secrets included. Rendered just before use; only its digest is ever compared or kept.

use cluster::{
    material::ClusterMaterial,
    node::{self, NodeInput},
    recipe::Recipe,
};
use engine_hosted::{PlaneIdentity, PlaneInput, VOLUME_MOUNT};
use ports::{
    bundles::BundleRef,
    compute::{Attachment, Init, MachineConfig, MachineDesired, Nic},
};
use sha2::{Digest, Sha256};
use types::{
    Fault, VolumeId,
    cluster::Cluster,
    machine::{Machine, Role},
    network::Network,
    tenancy::Tenancy,
};

use super::target::node_material;
use crate::{World, identity};

/// What all machines of one cluster are rendered from.
pub struct Frame<'a> {
    pub recipe: &'a Recipe,
    pub cluster: &'a Cluster,
    pub network: &'a Network,
    pub material: &'a ClusterMaterial,
    pub bundle: &'a BundleRef,
    pub planes: Vec<&'a Machine>,
    pub tenancy: &'a Tenancy,
}

impl Frame<'_> {
    /// Nothing while the machine's own keys are not made.
    pub async fn config(&self, world: &World, machine: &Machine) -> Result<Option<MachineConfig>, Fault> {
        match &machine.role {
            Role::ControlPlane { .. } => self.plane(world, machine).await,
            Role::Worker { pods, .. } => {
                let Some(node) = node_material(world, &machine.id).await? else {
                    return Ok(None);
                };
                let api = self.planes.first().map_or(machine.address, |plane| plane.address);
                let pause_image = self.bundle.images.get("pause").map_or("", String::as_str);
                Ok(Some(node::render(&NodeInput {
                    recipe: self.recipe,
                    cluster: self.cluster,
                    machine,
                    pods: *pods,
                    api,
                    platform: self.network.platform_address(),
                    pause_image,
                    mtu: world.network.mtu(),
                    material: self.material,
                    node: &node,
                })?))
            }
        }
    }

    async fn plane(&self, world: &World, machine: &Machine) -> Result<Option<MachineConfig>, Fault> {
        let asks = engine_hosted::asks_the_platform(self.recipe);
        let shown = match asks {
            true => identity::client(world, &self.cluster.id).await?,
            false => None,
        };
        let Some(client) = &shown else {
            // Not made yet, or never.
            return if asks {
                Ok(None)
            } else {
                self.rendered(world, machine, None)
            };
        };
        let roots_pem = identity::roots_pem(world).await?;
        let identity = PlaneIdentity {
            roots_pem: &roots_pem,
            client,
        };
        self.rendered(world, machine, Some(identity))
    }

    fn rendered(
        &self,
        world: &World,
        machine: &Machine,
        identity: Option<PlaneIdentity<'_>>,
    ) -> Result<Option<MachineConfig>, Fault> {
        Ok(Some(engine_hosted::render(&PlaneInput {
            recipe: self.recipe,
            cluster: self.cluster,
            hostname: &machine.hostname,
            address: machine.address,
            platform: self.network.platform_address(),
            material: self.material,
            identity,
            tenancy: self.tenancy,
            controllers: &world.settings.controllers,
        })?))
    }

    pub async fn machine(&self, world: &World, machine: &Machine) -> Result<Option<MachineDesired>, Fault> {
        let Some(config) = self.config(world, machine).await? else {
            return Ok(None);
        };
        let (init, image, volumes) = match &machine.role {
            Role::ControlPlane { volume } => (
                Init::Keeper,
                &self.bundle.control_plane_tree,
                vec![attachment(world, volume).await?],
            ),
            Role::Worker { .. } => (Init::Systemd, &self.bundle.node_tree, Vec::new()),
        };
        Ok(Some(MachineDesired {
            id: machine.id.clone(),
            hostname: machine.hostname.clone(),
            image: image.clone(),
            init,
            size: machine.size,
            nic: Nic {
                interface: world.network.interface(&machine.port),
                mac: machine.mac,
                address: machine.address,
                prefix_len: self.network.cidr.prefix_len(),
                gateway: self.network.gateway(),
                mtu: world.network.mtu(),
            },
            volumes,
            config,
            power: machine.power,
        }))
    }
}

async fn attachment(world: &World, volume: &VolumeId) -> Result<Attachment, Fault> {
    match world.volumes.observe(volume).await.present() {
        Some(seen) => Ok(Attachment {
            volume: volume.clone(),
            source: seen.source.clone(),
            mount_at: VOLUME_MOUNT.into(),
        }),
        None => Err(Fault::unavailable(
            "volume-missing",
            format!("the volume {volume} of the control plane cannot be seen"),
            "the platform tries again; if its file was lost, restore it or delete the cluster",
        )),
    }
}

pub fn digest(config: &MachineConfig) -> String {
    config.digest(|bytes| Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect())
}
