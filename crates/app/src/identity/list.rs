//! Every certificate the platform keeps, as it stands in it. Keys are sealed with most of them; they are not looked at.

use cluster::{
    material::{ClusterMaterial, NodeMaterial},
    pki::Leaf,
};
use iam::pki::{AuthorityKind, AuthorityState, Facts, Level, PlatformPki, Stage};
use ports::store::{Filter, Versioned};
use types::{
    Fault, ProjectId, Timestamp, cluster::Cluster, machine::Machine, network::Network, tenant::Project,
};

use super::{RENEW_BEFORE_S, api, authorities, broken, client, serving};
use crate::{World, desired::target, reconcile, records};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateState {
    Ok,
    /// Its time to be renewed has come.
    Due,
    Expired,
    /// Trusted, and signs soon.
    Next,
    /// Trusted until all it signed is replaced.
    Retiring,
    Revoked,
}

impl CertificateState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Due => "due",
            Self::Expired => "expired",
            Self::Next => "next",
            Self::Retiring => "retiring",
            Self::Revoked => "revoked",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// What it is for, such as `platform-root` or `kubelet`.
    pub what: &'static str,
    /// The cluster, network or machine it belongs to, by name.
    pub of: Option<String>,
    pub project: Option<String>,
    pub org: Option<String>,
    /// Of what was revoked only the serial number is kept.
    pub facts: Option<Facts>,
    pub serial: String,
    /// From when on it is renewed or replaced by itself.
    pub renewed_from: Option<Timestamp>,
    pub revoked: Option<Timestamp>,
    pub state: CertificateState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub level: Level,
    pub stage: Stage,
    pub began: Timestamp,
    pub forced: bool,
    pub waiting_for: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificates {
    pub certificates: Vec<Certificate>,
    pub rotation: Option<Progress>,
}

pub(crate) fn progress(pki: &PlatformPki) -> Option<Progress> {
    pki.rotation().map(|rotation| Progress {
        level: rotation.level,
        stage: rotation.stage,
        began: rotation.began,
        forced: rotation.forced,
        waiting_for: rotation.waiting_for.clone(),
    })
}

/// Where a certificate belongs.
#[derive(Clone, Default)]
struct Place {
    of: Option<String>,
    project: Option<String>,
    org: Option<String>,
}

struct Lister {
    now: Timestamp,
    all: Vec<Certificate>,
}

impl Lister {
    fn add(
        &mut self,
        what: &'static str,
        place: &Place,
        chain_pem: &str,
        renew_before: Option<i64>,
    ) -> Result<(), Fault> {
        let facts = Facts::of(chain_pem).map_err(broken)?;
        let renewed_from = renew_before.map(|before| facts.not_after.plus(-before));
        let state = self.state(&facts, renewed_from);
        self.push(what, place, facts, renewed_from, state);
        Ok(())
    }

    fn state(&self, facts: &Facts, renewed_from: Option<Timestamp>) -> CertificateState {
        if facts.not_after <= self.now {
            CertificateState::Expired
        } else if renewed_from.is_some_and(|from| from <= self.now) {
            CertificateState::Due
        } else {
            CertificateState::Ok
        }
    }

    fn push(
        &mut self,
        what: &'static str,
        place: &Place,
        facts: Facts,
        renewed_from: Option<Timestamp>,
        state: CertificateState,
    ) {
        let Place { of, project, org } = place.clone();
        self.all.push(Certificate {
            what,
            of,
            project,
            org,
            serial: facts.serial.clone(),
            facts: Some(facts),
            renewed_from,
            revoked: None,
            state,
        });
    }

    fn authorities(&mut self, pki: &PlatformPki) -> Result<(), Fault> {
        for kept in pki.authorities().map_err(broken)? {
            let what = match kept.kind {
                AuthorityKind::Root => "platform-root",
                AuthorityKind::Services => "services-authority",
                AuthorityKind::Cross => "services-authority-by-old-root",
            };
            let state = match kept.state {
                AuthorityState::Next => CertificateState::Next,
                AuthorityState::Retiring => CertificateState::Retiring,
                AuthorityState::Signs => self.state(&kept.facts, kept.replaced_from),
            };
            self.push(what, &Place::default(), kept.facts, kept.replaced_from, state);
        }
        Ok(())
    }

    fn revoked(&mut self, pki: &PlatformPki) {
        self.all.extend(pki.revoked().map(|(serial, since)| Certificate {
            what: "webhook-client",
            of: None,
            project: None,
            org: None,
            facts: None,
            serial: serial.to_owned(),
            renewed_from: None,
            revoked: Some(since),
            state: CertificateState::Revoked,
        }));
    }

    fn cluster(&mut self, place: &Place, material: &ClusterMaterial) -> Result<(), Fault> {
        for (what, authority) in [
            ("cluster-ca", &material.ca),
            ("front-proxy-ca", &material.front_proxy_ca),
            ("etcd-ca", &material.etcd_ca),
        ] {
            self.add(what, place, &authority.cert_pem, None)?;
        }
        let plane = &material.control_plane;
        // Of `service-accounts` only the key pair counts; nobody reads its certificate.
        let leaves = [
            ("apiserver", &plane.apiserver),
            ("kubelet-client", &plane.kubelet_client),
            ("front-proxy-client", &plane.front_proxy_client),
            ("etcd-server", &plane.etcd_server),
            ("etcd-client", &plane.etcd_client),
            ("controller-manager", &plane.controller_manager),
            ("scheduler", &plane.scheduler),
            ("platform-client", &material.platform),
        ];
        let controllers = plane.controllers.as_ref().map(|leaf| ("controllers", leaf));
        self.leaves(place, leaves.into_iter().chain(controllers))
    }

    fn node(&mut self, place: &Place, node: &NodeMaterial) -> Result<(), Fault> {
        let leaves = [
            ("kubelet", &node.kubelet),
            ("kubelet-serving", &node.kubelet_serving),
            ("kube-proxy", &node.kube_proxy),
        ];
        self.leaves(place, leaves)
    }

    fn leaves<'a>(
        &mut self,
        place: &Place,
        leaves: impl IntoIterator<Item = (&'static str, &'a Leaf)>,
    ) -> Result<(), Fault> {
        leaves.into_iter().try_for_each(|(what, leaf)| {
            self.add(what, place, &leaf.cert_pem, Some(reconcile::RENEW_BEFORE_S))
        })
    }
}

pub(crate) async fn list(world: &World) -> Result<Certificates, Fault> {
    let mut lister = Lister {
        now: world.clock.now(),
        all: Vec::new(),
    };
    let pki = authorities::known(world).await?;
    if let Some(pki) = &pki {
        lister.authorities(pki)?;
    }
    if let Some(chain) = api::chain(world).await? {
        lister.add("api", &Place::default(), &chain, Some(RENEW_BEFORE_S))?;
    }
    let everything = Filter::default();
    let projects = records::list::<Project>(&*world.store, &everything).await?;
    let place = |of: String, project: &ProjectId| {
        let project = projects.iter().map(|p| &p.value).find(|p| p.id == *project);
        Place {
            of: Some(of),
            project: project.map(|p| p.name.to_string()),
            org: project.map(|p| p.org.to_string()),
        }
    };
    let networks = records::list::<Network>(&*world.store, &everything).await?;
    for (id, serving) in serving(world).await? {
        let network = networks.iter().map(|n| &n.value).find(|n| n.id == id);
        let place = network.map_or_else(Place::default, |n| place(n.name.to_string(), &n.project));
        lister.add(
            "webhook-serving",
            &place,
            &serving.chain_pem,
            Some(RENEW_BEFORE_S),
        )?;
    }
    let mut clusters = records::list::<Cluster>(&*world.store, &everything).await?;
    clusters.sort_by(|a, b| (&a.value.project, &a.value.name).cmp(&(&b.value.project, &b.value.name)));
    for Versioned { value: cluster, .. } in &clusters {
        let here = place(cluster.name.to_string(), &cluster.project);
        if let Some(leaf) = client(world, &cluster.id).await? {
            lister.add("webhook-client", &here, &leaf.cert_pem, Some(RENEW_BEFORE_S))?;
        }
        let Some(material) = target::cluster_material(world, &cluster.id).await? else {
            continue;
        };
        lister.cluster(&here, &material)?;
        let machines = records::children::<Machine>(&*world.store, cluster.id.as_str()).await?;
        for machine in machines.iter().map(|m| &m.value) {
            if let Some(node) = target::node_material(world, &machine.id).await? {
                lister.node(
                    &place(format!("{}/{}", cluster.name, machine.hostname), &cluster.project),
                    &node,
                )?;
            }
        }
    }
    if let Some(pki) = &pki {
        lister.revoked(pki);
    }
    Ok(Certificates {
        certificates: lister.all,
        rotation: pki.as_ref().and_then(progress),
    })
}
