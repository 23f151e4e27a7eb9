//! An edge that knows one person of one project, which has a cluster in the edge's first network.

use std::{
    net::IpAddr,
    time::{SystemTime, UNIX_EPOCH},
};

use iam::{
    keys::{KeySet, SigningKey},
    pki::PlatformPki,
    review::{AUDIENCE, Reach, Snapshot},
    token::{Claims, mint},
};
use ports::{
    Edge as _,
    edge::{EdgeIdentity, IDENTITY_NAME, Serving, tunnel_name},
};
use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use types::{ClusterId, OrgId, ProjectId, Timestamp, TokenId, tenant::Role};

use crate::edge::{Edge, PLATFORM};

pub const USER: &str = "user-0123456789abcdef";

pub struct Known {
    pub edge: Edge,
    pub pki: PlatformPki,
    key: SigningKey,
    pub cluster: ClusterId,
    /// Of a token for the cluster.
    pub claims: Claims,
}

pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp(i64::try_from(since.as_secs()).unwrap())
}

pub fn certs(pem: &str) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem.as_bytes())
        .collect::<Result<_, _>>()
        .unwrap()
}

pub fn anchors(pem: &str) -> RootCertStore {
    let mut anchors = RootCertStore::empty();
    for cert in certs(pem) {
        anchors.add(cert).unwrap();
    }
    anchors
}

impl Known {
    /// Not pushed yet.
    pub async fn with(role: Role) -> Self {
        let mut edge = Edge::start().await;
        let pki = PlatformPki::new(now()).unwrap();
        let key = SigningKey::generate().unwrap();
        let (cluster, org, project) = (ClusterId::generate(), OrgId::generate(), ProjectId::generate());
        let claims = Claims {
            iss: "https://cloud.test".to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: USER.to_owned(),
            email: "ana@acme.example".to_owned(),
            org_id: Some(org.clone()),
            project_id: Some(project.clone()),
            roles: vec![role],
            iat: now(),
            exp: now().plus(300),
            jti: TokenId::generate(),
        };
        let reach = Reach {
            network: edge.config.networks[0].id.clone(),
            org,
            projects: [project].into(),
            grants: Default::default(),
        };
        edge.config.identity = Some(EdgeIdentity {
            snapshot: Snapshot {
                generation: 1,
                issuer: claims.iss.clone(),
                keys: KeySet(vec![key.public()]),
                principals: [USER.to_owned()].into(),
                clusters: [(cluster.clone(), reach)].into(),
                ..Snapshot::default()
            },
            authorities: pki.services_pem(),
            revocations: pki.crl().to_vec(),
        });
        for network in &mut edge.config.networks {
            let names = [IDENTITY_NAME, &tunnel_name(&network.id)];
            let issued = pki.issue_server(&names, &[IpAddr::V4(PLATFORM)], now()).unwrap();
            network.serving = Some(Serving {
                chain_pem: issued.chain_pem,
                key_pem: Some(issued.key_pem),
            });
        }
        Self {
            edge,
            pki,
            key,
            cluster,
            claims,
        }
    }

    pub async fn push(&self) {
        let status = self.edge.client.apply(&self.edge.config).await.unwrap();
        assert!(!status.lacks_keys);
    }

    pub fn token(&self) -> String {
        mint(&self.key, &self.claims).unwrap().reveal()
    }
}
