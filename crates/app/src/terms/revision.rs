//! What of a thing its owner wrote, as a mark that changes when that does. What the platform changes by itself (phases,
//! addresses, who is ready) is no part of it: nobody's edit is refused because a node came up.

use std::fmt;

use serde::Serialize;
use sha2::{Digest, Sha256};
use types::{
    cluster::Cluster,
    network::Network,
    tenant::{Organisation, Project, ServiceAccount},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision(String);

/// Characters of a digest: enough that two revisions of one thing never meet.
const LENGTH: usize = 16;

impl Revision {
    /// As a caller shows it; one that was never given matches nothing.
    pub fn shown(given: &str) -> Self {
        Self(given.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn of(written: &impl Serialize) -> Self {
        let text = serde_json::to_vec(written).expect("domain types serialise");
        let digest = Sha256::digest(text);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self(hex[..LENGTH].to_owned())
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something that is changed on condition.
pub trait Revised {
    fn revision(&self) -> Revision;
}

impl Revised for Cluster {
    fn revision(&self) -> Revision {
        Revision::of(&(&self.id, &self.spec, &self.labels))
    }
}

impl Revised for Network {
    fn revision(&self) -> Revision {
        Revision::of(&(&self.id, &self.cidr, &self.labels))
    }
}

impl Revised for Organisation {
    fn revision(&self) -> Revision {
        Revision::of(&(&self.id, &self.name, self.max_projects, &self.quota))
    }
}

impl Revised for Project {
    fn revision(&self) -> Revision {
        Revision::of(&(&self.id, &self.name, &self.quota))
    }
}

impl Revised for ServiceAccount {
    fn revision(&self) -> Revision {
        Revision::of(&(&self.id, &self.name, self.role))
    }
}

/// Of an organisation's quota alone.
pub fn of_org_quota(org: &Organisation) -> Revision {
    Revision::of(&(&org.id, &org.quota))
}

/// Of a project's quota alone.
pub fn of_quota(project: &Project) -> Revision {
    Revision::of(&(&project.id, &project.quota))
}
