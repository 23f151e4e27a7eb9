//! Into an instance: a certificate for one machine, what the machine shows in return, and the way there. The ticket for that
//! way is issued where tokens are.

use std::net::SocketAddr;

use ::cluster::ssh::{Pass, PublicKey};
use iam::ticket::LIFE_S;
use ports::edge::tunnel_name;
use types::{
    Fault, Principal, ProjectId, Timestamp,
    machine::{Machine, Power},
    network::Network,
    status::MachinePhase,
};

use super::Ops;
use crate::{desired::target, identity, records};

/// Whom certificates let in as.
const USER: &str = "root";

/// All of it but the ticket. Nothing in it is secret: the certificate is worth nothing without the key it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshPass {
    pub machine: Machine,
    pub user: &'static str,
    pub certificate: String,
    pub serial: u64,
    pub fingerprint: String,
    pub host_key: String,
    pub expires: Timestamp,
    pub endpoint: SocketAddr,
    pub server_name: String,
    pub authorities: String,
}

impl Ops {
    pub async fn ssh(
        &self,
        caller: &Principal,
        project: &ProjectId,
        reference: &str,
        public: &PublicKey,
    ) -> Result<SshPass, Fault> {
        let world = &*self.world;
        let machine = self.get_instance(project, reference).await?;
        if machine.deleting || machine.power == Power::Off || machine.phase != MachinePhase::Running {
            return Err(not_running(&machine));
        }
        let network = records::get::<Network>(&*world.store, machine.network.as_str()).await?;
        let network = network.ok_or_else(|| not_running(&machine))?.value;
        let material = target::cluster_material(world, &machine.cluster).await?;
        let node = target::node_material(world, &machine.id).await?;
        let (Some(material), Some(node)) = (material, node) else {
            return Err(not_running(&machine));
        };
        let Some(authority) = &material.ssh_authority else {
            return Err(Fault::refused(
                "ssh-unsupported",
                format!(
                    "the cluster of '{}' was made before there was SSH to instances",
                    machine.hostname
                ),
                "make a new cluster; this one keeps the configuration it was made with",
            ));
        };
        let now = world.clock.now();
        let expires = now.plus(LIFE_S);
        let serial = serial()?;
        let certificate = authority.certify(
            public,
            Pass {
                who: &format!("{} {}", caller.name, caller.id),
                principal: machine.id.as_str(),
                sources: &[network.gateway(), network.platform_address()],
                now,
                until: expires,
                serial,
            },
        )?;
        Ok(SshPass {
            user: USER,
            certificate,
            serial,
            fingerprint: public.fingerprint(),
            host_key: node.ssh_host.public_openssh,
            expires,
            endpoint: world.settings.endpoint,
            server_name: tunnel_name(&machine.network),
            authorities: identity::roots_pem(world).await?,
            machine,
        })
    }
}

fn not_running(machine: &Machine) -> Fault {
    Fault::conflict(
        "instance-not-running",
        format!("the instance '{}' is not running", machine.hostname),
        "wait until `cloud instance list` shows it RUNNING",
    )
}

/// Only to tell certificates apart in logs.
fn serial() -> Result<u64, Fault> {
    let mut bytes = [0u8; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| Fault::internal("random", format!("no random bytes: {error}")))?;
    Ok(u64::from_be_bytes(bytes))
}
