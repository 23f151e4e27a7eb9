//! Certificates of the platform, without anything secret of them.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct CertificateList {
    pub certificates: Vec<CertificateView>,
    /// The authority that is being replaced, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<RotationView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct CertificateView {
    /// What it is for, such as `platform-root`, `webhook-client` or `kubelet`.
    pub what: String,
    /// The cluster, network or `cluster/machine` it belongs to; absent for the platform's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The organisation's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org: Option<String>,
    /// Of what was revoked only the serial number is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// In hex.
    pub serial: String,
    /// Names and addresses it is good for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// SHA-256 of the certificate, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_after: Option<String>,
    /// From when on the platform renews or replaces it by itself; absent where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewed_from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<String>,
    /// `ok`, `due`, `expired`, `next`, `retiring` or `revoked`.
    pub state: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct RotationView {
    /// `root` or `services`.
    pub level: String,
    /// `trust`: the next authority is made known. `replace`: it signs, and what the old one signed is replaced.
    /// `retire`: the old one is gone, and taken out of every file.
    pub stage: String,
    pub began: String,
    /// Goes on although some cluster did not confirm.
    pub forced: bool,
    pub waiting_for: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct RotateCertificates {
    /// `root` or `services`.
    pub level: String,
    /// Ends the stage that a running rotation is in, whoever it waits for.
    #[serde(default)]
    pub force: bool,
}

/// What clients of this API check it by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct CaView {
    /// Authorities in PEM. Two while a root is replaced; none where the operator gave a certificate and no authority.
    pub bundle: String,
    /// `sha256:` and the hex of each.
    pub fingerprints: Vec<String>,
    /// Where the API is reached over TLS; absent where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
}
