//! SSH: public keys that somebody told the platform, and what it takes to get into an instance.

use serde::{Deserialize, Serialize};
use types::ssh_key::SshKey;

use crate::moment;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SshKeyCreate {
    pub name: String,
    /// One line, as in `id_ed25519.pub`.
    pub public: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SshKeyView {
    pub id: String,
    pub name: String,
    pub public: String,
    /// `SHA256:…`
    pub fingerprint: String,
    pub created: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SshKeyList {
    pub ssh_keys: Vec<SshKeyView>,
}

/// One of the two: the name of a key of the caller's, or a public key that was made for this.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SshRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<String>,
}

/// What lets its holder into one instance, for some minutes.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SshAccess {
    /// The instance's id; also what its host key is known under.
    pub instance: String,
    pub user: String,
    /// An OpenSSH certificate over the public key.
    pub certificate: String,
    /// The public key the instance shows.
    pub host_key: String,
    /// When certificate and ticket end.
    pub expires: String,
    pub tunnel: SshTunnel,
}

/// The way to the instance: TLS to this address under this name, then `CONNECT <instance>:22` with the ticket as the
/// bearer of `Proxy-Authorization`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SshTunnel {
    /// `address:port`
    pub endpoint: String,
    pub server_name: String,
    /// Who signed the certificate that is shown there, in PEM.
    pub authorities: String,
    pub ticket: String,
}

impl From<&SshKey> for SshKeyView {
    fn from(key: &SshKey) -> Self {
        let SshKey {
            id,
            owner: _,
            name,
            public,
            fingerprint,
            created,
        } = key;
        Self {
            id: id.to_string(),
            name: name.to_string(),
            public: public.clone(),
            fingerprint: fingerprint.clone(),
            created: moment::to_wire(*created),
        }
    }
}
