//! The kubeconfigs that carry a certificate: who may do everything in a cluster, from outside or from inside it.

use std::{fmt, str::FromStr};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CertificateKind {
    /// Administrators by a role that the cluster binds, and can unbind.
    Admin,
    /// The same, towards the API's name inside the cluster.
    AdminInternal,
    /// `system:masters`: no role can take it away. For repairs.
    SuperAdmin,
    SuperAdminInternal,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("'{0}' is not a kind of kubeconfig")]
pub struct CertificateKindError(String);

impl CertificateKind {
    pub const ALL: [Self; 4] = [
        Self::Admin,
        Self::AdminInternal,
        Self::SuperAdmin,
        Self::SuperAdminInternal,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin.conf",
            Self::AdminInternal => "admin.svc",
            Self::SuperAdmin => "super-admin.conf",
            Self::SuperAdminInternal => "super-admin.svc",
        }
    }

    pub fn is_super(self) -> bool {
        match self {
            Self::SuperAdmin | Self::SuperAdminInternal => true,
            Self::Admin | Self::AdminInternal => false,
        }
    }

    pub fn is_internal(self) -> bool {
        match self {
            Self::AdminInternal | Self::SuperAdminInternal => true,
            Self::Admin | Self::SuperAdmin => false,
        }
    }
}

impl FromStr for CertificateKind {
    type Err = CertificateKindError;
    fn from_str(given: &str) -> Result<Self, CertificateKindError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == given)
            .ok_or_else(|| CertificateKindError(given.to_owned()))
    }
}

impl fmt::Display for CertificateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
