//! The secrets of a cluster and of its machines. Each set is sealed as one document before anything uses it, so that
//! rendering a machine twice gives the same bytes.

use std::net::{IpAddr, Ipv4Addr};

use serde::{Deserialize, Serialize};
use types::{Fault, Secret, Timestamp, cluster::Cluster, machine::Machine, tenancy::CONTROLLERS_USER};

use crate::{
    pki::{Authority, Leaf, LeafRequest, Names, Usage, not_after},
    ssh::SshKey,
};

/// Name of the sealed document, owned by the cluster's or the machine's id.
pub const SECRET_NAME: &str = "material";

/// The group our admin kubeconfigs carry; bound by RBAC, so that it can be unbound.
pub const ADMIN_GROUP: &str = "plasmacloud:cluster-admins";
/// The group that no role can take anything from.
pub const SUPER_ADMIN_GROUP: &str = "system:masters";
const ADMIN_VALID_S: i64 = 86_400;
/// The group of the apiserver when it calls kubelets.
pub const KUBELET_CLIENT_GROUP: &str = "plasmacloud:kubelet-clients";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterMaterial {
    pub ca: Authority,
    pub front_proxy_ca: Authority,
    pub etcd_ca: Authority,
    pub service_accounts: Leaf,
    pub encryption_key: EncryptionKey,
    pub ssh: SshKey,
    /// Signs certificates of people; clusters made before there were any have none.
    #[serde(default)]
    pub ssh_authority: Option<SshKey>,
    pub control_plane: ControlPlaneMaterial,
    /// Who the platform is inside the cluster.
    pub platform: Leaf,
}

/// 32 bytes in base 64, for `secretbox`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncryptionKey(pub String);

impl std::fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EncryptionKey")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlPlaneMaterial {
    pub apiserver: Leaf,
    pub kubelet_client: Leaf,
    pub front_proxy_client: Leaf,
    pub etcd_server: Leaf,
    pub etcd_client: Leaf,
    pub controller_manager: Leaf,
    pub scheduler: Leaf,
    /// Of our own controllers; clusters made before there were any have none until their keys are renewed.
    #[serde(default)]
    pub controllers: Option<Leaf>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeMaterial {
    pub kubelet: Leaf,
    pub kubelet_serving: Leaf,
    pub kube_proxy: Leaf,
    pub ssh_host: SshKey,
}

impl ClusterMaterial {
    pub fn generate(cluster: &Cluster, address: Ipv4Addr, now: Timestamp) -> Result<Self, Fault> {
        let ca = Authority::generate(&format!("{} cluster", cluster.name), now)?;
        let front_proxy_ca = Authority::generate(&format!("{} front proxy", cluster.name), now)?;
        let etcd_ca = Authority::generate(&format!("{} etcd", cluster.name), now)?;
        let mut key = [0u8; 32];
        getrandom::fill(&mut key).map_err(|e| Fault::internal("random", format!("no random bytes: {e}")))?;
        Ok(Self {
            // Only the key pair counts: tokens are verified with its public half.
            service_accounts: ca.issue(&LeafRequest::client("service-accounts", &[]), now)?,
            encryption_key: EncryptionKey(base64::Engine::encode(
                &base64::engine::general_purpose::STANDARD,
                key,
            )),
            ssh: SshKey::generate(&format!("plasmacloud {}", cluster.name))?,
            ssh_authority: Some(SshKey::generate(&format!("plasmacloud {} people", cluster.name))?),
            control_plane: ControlPlaneMaterial::issue(
                cluster,
                address,
                &ca,
                &front_proxy_ca,
                &etcd_ca,
                now,
            )?,
            platform: ca.issue(
                &LeafRequest::client("plasmacloud:platform", &["system:masters"]),
                now,
            )?,
            ca,
            front_proxy_ca,
            etcd_ca,
        })
    }

    /// The same authorities and keys of record, with every certificate issued anew.
    pub fn renewed(&self, cluster: &Cluster, address: Ipv4Addr, now: Timestamp) -> Result<Self, Fault> {
        Ok(Self {
            control_plane: ControlPlaneMaterial::issue(
                cluster,
                address,
                &self.ca,
                &self.front_proxy_ca,
                &self.etcd_ca,
                now,
            )?,
            platform: self.ca.issue(
                &LeafRequest::client("plasmacloud:platform", &["system:masters"]),
                now,
            )?,
            ..self.clone()
        })
    }

    /// For a person, by name: kube-apiserver asks no revocation list, so it ends by itself.
    pub fn administrator(&self, who: &str, groups: &[&str], now: Timestamp) -> Result<Leaf, Fault> {
        let request = LeafRequest::client(who, groups).valid_seconds(ADMIN_VALID_S);
        Ok(self.ca.issue(&request, now)?)
    }

    pub fn expires(&self) -> Result<Timestamp, Fault> {
        Ok(not_after(&self.control_plane.apiserver.cert_pem)?)
    }
}

impl ControlPlaneMaterial {
    fn issue(
        cluster: &Cluster,
        address: Ipv4Addr,
        ca: &Authority,
        front_proxy_ca: &Authority,
        etcd_ca: &Authority,
        now: Timestamp,
    ) -> Result<Self, Fault> {
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let local = || Names {
            dns: vec!["localhost".to_owned()],
            addresses: vec![loopback],
        };
        let etcd_server = LeafRequest::server("etcd", local()).usage(Usage::Peer);
        Ok(Self {
            apiserver: ca.issue(
                &LeafRequest::server("kube-apiserver", api_names(cluster, address)),
                now,
            )?,
            kubelet_client: ca.issue(
                &LeafRequest::client("kube-apiserver-kubelet-client", &[KUBELET_CLIENT_GROUP]),
                now,
            )?,
            front_proxy_client: front_proxy_ca.issue(&LeafRequest::client("front-proxy-client", &[]), now)?,
            etcd_server: etcd_ca.issue(&etcd_server, now)?,
            etcd_client: etcd_ca.issue(&LeafRequest::client("kube-apiserver-etcd-client", &[]), now)?,
            controller_manager: ca.issue(&LeafRequest::client("system:kube-controller-manager", &[]), now)?,
            scheduler: ca.issue(&LeafRequest::client("system:kube-scheduler", &[]), now)?,
            controllers: Some(ca.issue(&LeafRequest::client(CONTROLLERS_USER, &[]), now)?),
        })
    }
}

/// Every name and address under which the API is called.
fn api_names(cluster: &Cluster, address: Ipv4Addr) -> Names {
    let domain = &cluster.spec.ranges.domain;
    let mut dns: Vec<String> = [
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "localhost",
    ]
    .map(str::to_owned)
    .to_vec();
    dns.push(format!("kubernetes.default.svc.{domain}"));
    dns.push(cluster.server_name.clone());
    dns.extend(cluster.spec.host.clone());
    let addresses = [cluster.spec.ranges.api_address(), address, Ipv4Addr::LOCALHOST];
    Names {
        dns,
        addresses: addresses.map(IpAddr::V4).to_vec(),
    }
}

impl NodeMaterial {
    pub fn generate(machine: &Machine, ca: &Authority, now: Timestamp) -> Result<Self, Fault> {
        let ssh_host = SshKey::generate(&machine.hostname)?;
        Self::issue(machine, ca, ssh_host, now)
    }

    pub fn renewed(&self, machine: &Machine, ca: &Authority, now: Timestamp) -> Result<Self, Fault> {
        Self::issue(machine, ca, self.ssh_host.clone(), now)
    }

    fn issue(machine: &Machine, ca: &Authority, ssh_host: SshKey, now: Timestamp) -> Result<Self, Fault> {
        let user = format!("system:node:{}", machine.hostname);
        let names = Names {
            dns: vec![machine.hostname.clone()],
            addresses: vec![IpAddr::V4(machine.address)],
        };
        Ok(Self {
            kubelet: ca.issue(&LeafRequest::client(&user, &["system:nodes"]), now)?,
            kubelet_serving: ca.issue(&LeafRequest::server(&user, names), now)?,
            kube_proxy: ca.issue(&LeafRequest::client("system:kube-proxy", &[]), now)?,
            ssh_host,
        })
    }

    pub fn expires(&self) -> Result<Timestamp, Fault> {
        Ok(not_after(&self.kubelet.cert_pem)?)
    }
}

/// A sealed document's content. Serialised by hand: `Secret` itself never serialises.
pub fn to_secret<T: Serialize>(material: &T) -> Secret {
    Secret::new(serde_json::to_vec(material).expect("material serialises"))
}

pub fn from_secret<T: serde::de::DeserializeOwned>(secret: &Secret) -> Result<T, Fault> {
    serde_json::from_slice(secret.expose())
        .map_err(|_| Fault::internal("material-unreadable", "the sealed keys of a cluster do not parse"))
}
