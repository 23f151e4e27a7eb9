//! What a cluster is told about a token that somebody showed it: Kubernetes' TokenReview, answered from a snapshot of
//! everything that decides it, so that the answer needs neither the platform's store nor the platform.
//!
//! Which cluster asks is known by the caller (its network and its client certificate), never by what it says.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use types::{
    ClusterId, Email, NetworkId, OrgId, ProjectId, Timestamp, TokenId, grant::Granted, tenant::Role,
};

use crate::{
    keys::KeySet,
    token::{self, Claims, TokenError},
};

/// The audience of access tokens: the platform's API and every cluster their project may reach.
pub const AUDIENCE: &str = "plasmacloud";

/// The audience of a token that is good for one cluster alone.
pub fn cluster_audience(cluster: &ClusterId) -> String {
    format!("k8s:{cluster}")
}

/// All that is told about a refusal.
const REFUSED: &str = "Invalid or expired token";

/// What decides about tokens, whole, at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Snapshot {
    pub generation: u64,
    pub issuer: String,
    pub keys: KeySet,
    /// Until when each would have been good: after that nobody needs to remember.
    pub revoked: BTreeMap<TokenId, Timestamp>,
    /// Tokens of this principal that were issued before are refused.
    pub not_before: BTreeMap<String, Timestamp>,
    /// Users and service accounts that exist, by id.
    pub principals: BTreeSet<String>,
    pub clusters: BTreeMap<ClusterId, Reach>,
    pub org_projects: BTreeMap<OrgId, BTreeSet<ProjectId>>,
}

/// Where a cluster is, whose it is, and which projects may reach it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reach {
    pub network: NetworkId,
    pub org: OrgId,
    pub projects: BTreeSet<ProjectId>,
    /// What single people and programs were granted there, by their id. They reach it, whatever their project.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub grants: BTreeMap<String, BTreeSet<Granted>>,
}

/// Why a token is refused, for a log and a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    Token(TokenError),
    /// The cluster is not known, or not in the network it asks from.
    Cluster,
    Revoked,
    /// Whom it names is gone, or its claims do not fit them.
    Principal,
    /// Its holder's tokens of that time were all withdrawn.
    Withdrawn,
    /// Its project may not reach this cluster, and nobody granted its holder anything there.
    Reach,
    /// Its holder may not do this there.
    Role,
}

impl Refusal {
    pub fn code(self) -> &'static str {
        match self {
            Self::Token(error) => error.code(),
            Self::Cluster => "cluster-unknown",
            Self::Revoked => "token-revoked",
            Self::Principal => "principal-unknown",
            Self::Withdrawn => "token-withdrawn",
            Self::Reach => "cluster-out-of-reach",
            Self::Role => "role-too-low",
        }
    }
}

/// Serialises as the `status` of a TokenReview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Review {
    pub authenticated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<UserInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
    /// Never told to whoever asked.
    #[serde(skip)]
    pub refusal: Option<Refusal>,
    /// Until when the answer holds, if nothing else changes.
    #[serde(skip)]
    pub until: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UserInfo {
    pub username: String,
    pub uid: String,
    pub groups: Vec<String>,
    pub extra: BTreeMap<&'static str, Vec<String>>,
}

impl Review {
    pub fn refused(refusal: Refusal) -> Self {
        Self {
            authenticated: false,
            user: None,
            error: Some(REFUSED),
            refusal: Some(refusal),
            until: Timestamp(0),
        }
    }

    /// The whole document that Kubernetes reads.
    pub fn document(&self) -> Vec<u8> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Document<'a> {
            api_version: &'static str,
            kind: &'static str,
            status: &'a Review,
        }
        let document = Document {
            api_version: "authentication.k8s.io/v1",
            kind: "TokenReview",
            status: self,
        };
        serde_json::to_vec(&document).expect("a review serialises")
    }
}

impl Snapshot {
    /// What the cluster, which asks from that network, is told about the token.
    pub fn review(&self, network: &NetworkId, cluster: &ClusterId, token: &str, now: Timestamp) -> Review {
        match self.decide(network, cluster, token, now) {
            Ok((claims, reach)) => Review {
                authenticated: true,
                user: Some(self.user(cluster, &claims, reach)),
                error: None,
                refusal: None,
                until: claims.exp,
            },
            Err(refusal) => Review::refused(refusal),
        }
    }

    fn decide(
        &self,
        network: &NetworkId,
        cluster: &ClusterId,
        token: &str,
        now: Timestamp,
    ) -> Result<(Claims, &Reach), Refusal> {
        let reach = self.reach(network, cluster)?;
        let own = cluster_audience(cluster);
        let claims =
            token::verify(token, &self.keys, &self.issuer, &[AUDIENCE, &own], now).map_err(Refusal::Token)?;
        self.stands(&claims)?;
        if !reaches(&claims, reach) {
            return Err(Refusal::Reach);
        }
        Ok((claims, reach))
    }

    pub(crate) fn reach(&self, network: &NetworkId, cluster: &ClusterId) -> Result<&Reach, Refusal> {
        let reach = self.clusters.get(cluster).ok_or(Refusal::Cluster)?;
        if reach.network == *network {
            Ok(reach)
        } else {
            Err(Refusal::Cluster)
        }
    }

    /// Whether claims that were good, their time apart, still are: nothing of them was revoked or withdrawn.
    pub fn stands(&self, claims: &Claims) -> Result<(), Refusal> {
        if self.revoked.contains_key(&claims.jti) {
            return Err(Refusal::Revoked);
        }
        if !self.principals.contains(&claims.sub) || !fits(claims) {
            return Err(Refusal::Principal);
        }
        let withdrawn = self.not_before.get(&claims.sub);
        if withdrawn.is_some_and(|from| claims.iat < *from) {
            return Err(Refusal::Withdrawn);
        }
        Ok(())
    }

    fn user(&self, cluster: &ClusterId, claims: &Claims, reach: &Reach) -> UserInfo {
        let texts = |roles: &[Role]| roles.iter().map(|role| role.as_str().to_owned()).collect();
        let mut extra = BTreeMap::from([("roles", texts(&claims.roles))]);
        if let Some(org) = &claims.org_id {
            extra.insert("org_id", vec![org.to_string()]);
        }
        if let Some(project) = &claims.project_id {
            extra.insert("project_id", vec![project.to_string()]);
        }
        UserInfo {
            username: claims.email.clone(),
            uid: claims.sub.clone(),
            groups: self.groups(cluster, claims, reach),
            extra,
        }
    }

    /// Groups without a role say where somebody belongs; every member has them and nothing may be bound to them. Groups
    /// that end in a role are given to those who hold it and to nobody else.
    fn groups(&self, cluster: &ClusterId, claims: &Claims, reach: &Reach) -> Vec<String> {
        let holds = |role| claims.roles.contains(&role);
        let mut groups = BTreeSet::new();
        if let Some(org) = &claims.org_id {
            groups.insert(format!("org:{org}"));
            if holds(Role::OrgAdmin) {
                groups.insert(format!("org:{org}:admin"));
                let projects = self.org_projects.get(org).into_iter().flatten();
                groups.extend(projects.map(|project| format!("project:{project}")));
                // Names no organisation, so it is given where there is but one it can mean.
                if *org == reach.org {
                    groups.insert("k8s:org-admin".to_owned());
                }
            }
        }
        if let Some(project) = &claims.project_id {
            groups.insert(format!("project:{project}"));
            for (role, word) in [
                (Role::ProjectAdmin, "admin"),
                (Role::ProjectMember, "member"),
                (Role::ProjectViewer, "viewer"),
            ] {
                if holds(role) {
                    groups.insert(format!("project:{project}:{word}"));
                }
            }
        }
        // By id: an address that is somebody else's one day brings them nothing.
        let granted = reach.grants.get(&claims.sub).into_iter().flatten();
        groups.extend(granted.flat_map(|granted| granted.groups(cluster)));
        if holds(Role::PlatformAdmin) {
            groups.insert("system:plasmacloud-admins".to_owned());
        }
        groups.insert(
            if is_program(claims) {
                "system:serviceaccounts"
            } else {
                "system:authenticated"
            }
            .to_owned(),
        );
        groups.into_iter().collect()
    }
}

fn is_program(claims: &Claims) -> bool {
    claims.sub.starts_with("sa-")
}

/// A name in a cluster belongs to one principal: a person's is an address, a program's `sa-<name>@<project>`, and neither
/// can be taken for the other. Programs are never administrators of more than their project.
fn fits(claims: &Claims) -> bool {
    let Some((local, domain)) = claims.email.split_once('@') else {
        return false;
    };
    let like_a_program = local.starts_with("sa-") && !domain.contains('.');
    let above_a_project = |role: &Role| matches!(role, Role::OrgAdmin | Role::PlatformAdmin);
    let plain = claims
        .email
        .parse::<Email>()
        .is_ok_and(|email| email.as_str() == claims.email);
    if is_program(claims) {
        plain && like_a_program && !claims.roles.iter().any(above_a_project)
    } else {
        plain && !like_a_program
    }
}

pub(crate) fn reaches(claims: &Claims, reach: &Reach) -> bool {
    let by_project = claims
        .project_id
        .as_ref()
        .is_some_and(|project| reach.projects.contains(project));
    let by_org = claims.roles.contains(&Role::OrgAdmin) && claims.org_id.as_ref() == Some(&reach.org);
    let by_grant = reach.grants.contains_key(&claims.sub);
    by_project || by_org || by_grant || claims.roles.contains(&Role::PlatformAdmin)
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
