//! Master keys, by their marks: nothing that opens anything goes over the wire.

use serde::{Deserialize, Serialize};

use crate::problem::FaultView;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct KeyList {
    /// The newest last. More than one while a new key is taking over.
    pub keys: Vec<KeyView>,
    /// Why taking over does not get on, when it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<FaultView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct KeyView {
    /// Names the key and tells nothing of it.
    pub mark: String,
    /// Whether it seals; the others only open what is still under them.
    pub seals: bool,
    /// Secrets under it.
    pub rows: u64,
}
