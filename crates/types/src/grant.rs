//! Rights inside one cluster, given to one person or program beyond what their project role gives.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{ClusterId, GrantId, OrgId, ProjectId, Timestamp};

/// From the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrantRole {
    Viewer,
    Member,
    Admin,
}

impl GrantRole {
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Member, Self::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for GrantRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is not a role in a cluster")]
pub struct GrantRoleError(String);

impl FromStr for GrantRole {
    type Err = GrantRoleError;
    fn from_str(given: &str) -> Result<Self, GrantRoleError> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == given)
            .ok_or_else(|| GrantRoleError(given.to_owned()))
    }
}

const LONGEST_NAMESPACE: usize = 63;

/// A namespace of a cluster: a DNS label, which may begin with a digit and be longer than names of ours.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Namespace(String);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "'{0}' is not a namespace: lower-case letters, digits and '-', a letter or digit first and last, \
     {LONGEST_NAMESPACE} at most"
)]
pub struct NamespaceError(String);

impl Namespace {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Kubernetes' own: whoever works there can become the cluster's controllers, and with them anybody.
    pub fn is_system(&self) -> bool {
        is_system(&self.0)
    }
}

pub fn is_system(namespace: &str) -> bool {
    namespace.starts_with("kube-")
}

impl FromStr for Namespace {
    type Err = NamespaceError;
    fn from_str(given: &str) -> Result<Self, NamespaceError> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let good = (1..=LONGEST_NAMESPACE).contains(&given.len())
            && given.bytes().all(|b| plain(b) || b == b'-')
            && !given.starts_with('-')
            && !given.ends_with('-');
        if good {
            Ok(Self(given.to_owned()))
        } else {
            let shown = given.chars().take(LONGEST_NAMESPACE + 1).collect();
            Err(NamespaceError(shown))
        }
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Namespace {
    type Error = NamespaceError;
    fn try_from(given: String) -> Result<Self, NamespaceError> {
        given.parse()
    }
}

impl From<Namespace> for String {
    fn from(namespace: Namespace) -> String {
        namespace.0
    }
}

/// What is granted in a cluster, whoever has it: a role in all of it, or in one namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Granted {
    pub role: GrantRole,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Namespace>,
}

impl Granted {
    /// The group that holders of it carry in that cluster, and nobody else. It ends in the role, as every group that is
    /// bound does.
    pub fn group(&self, cluster: &ClusterId) -> String {
        match &self.namespace {
            Some(namespace) => format!("cluster:{cluster}:{namespace}:{}", self.role),
            None => format!("cluster:{cluster}:{}", self.role),
        }
    }

    /// Whoever works everywhere may also look everywhere: the group of that.
    pub fn groups(&self, cluster: &ClusterId) -> Vec<String> {
        let mut groups = vec![self.group(cluster)];
        if self.namespace.is_none() && self.role != GrantRole::Viewer {
            let looks = Self {
                role: GrantRole::Viewer,
                namespace: None,
            };
            groups.push(looks.group(cluster));
        }
        groups
    }
}

/// One grant on the books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterGrant {
    pub id: GrantId,
    pub cluster: ClusterId,
    /// The cluster's.
    pub org: OrgId,
    pub project: ProjectId,
    /// Id of the user or service account.
    pub principal: String,
    /// As it is called in the cluster: an address, or `sa-<name>@<project>`.
    pub principal_name: String,
    pub granted: Granted,
    /// Who gave it, as it is shown.
    pub by: String,
    pub created: Timestamp,
    /// Says the same of the same principal; unique in a cluster.
    pub key: String,
}

impl ClusterGrant {
    pub fn key(principal: &str, granted: &Granted) -> String {
        let place = granted.namespace.as_ref().map_or("*", Namespace::as_str);
        format!("{principal}/{place}/{}", granted.role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_labels_as_kubernetes_has_them() {
        for good in ["web", "0day", "a", "x".repeat(63).as_str(), "kube-system"] {
            assert!(good.parse::<Namespace>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "-web",
            "web-",
            "Web",
            "a.b",
            "a/b",
            "a:b",
            "*",
            "x".repeat(64).as_str(),
        ] {
            assert!(bad.parse::<Namespace>().is_err(), "{bad}");
        }
        assert!("kube-system".parse::<Namespace>().unwrap().is_system());
    }

    #[test]
    fn groups_end_in_their_role_and_name_their_cluster() {
        let cluster: ClusterId = "k8s-0123456789abcdef".parse().unwrap();
        let granted = |role, namespace: Option<&str>| Granted {
            role,
            namespace: namespace.map(|n| n.parse().unwrap()),
        };
        assert_eq!(
            granted(GrantRole::Viewer, Some("web")).groups(&cluster),
            ["cluster:k8s-0123456789abcdef:web:viewer"]
        );
        assert_eq!(
            granted(GrantRole::Admin, None).groups(&cluster),
            [
                "cluster:k8s-0123456789abcdef:admin",
                "cluster:k8s-0123456789abcdef:viewer"
            ]
        );
    }
}
