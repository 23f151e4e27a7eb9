//! What the platform says about itself: its version, and the Kubernetes releases it has.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct VersionView {
    pub version: String,
    /// Which of several platforms on one machine this is.
    pub instance: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct BundleView {
    pub version: String,
    pub digest: String,
    pub node_image: String,
}

/// A list is an object, so that it can grow fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct BundleList {
    pub bundles: Vec<BundleView>,
}
