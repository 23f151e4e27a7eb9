//! The seams. Each port takes and returns serialisable values, is idempotent, and speaks of faults a person can act on.
//!
//! Rules every implementation keeps (the conformance suites check them):
//! - applying the same desired state twice changes nothing the second time;
//! - removing what is not there succeeds;
//! - what cannot be observed is reported as unknown, never as absent;
//! - `scan` looks at the world, not at any record of what was made.

pub mod audit;
pub mod bundles;
pub mod changes;
pub mod clock;
pub mod cluster_api;
pub mod compute;
#[cfg(feature = "testing")]
pub mod conformance;
pub mod edge;
mod entities;
#[cfg(feature = "testing")]
pub mod fake;
pub mod images;
pub mod network;
pub mod paging;
pub mod scan;
pub mod store;
pub mod vault;
pub mod volumes;

pub use bundles::Bundles;
pub use clock::Clock;
pub use cluster_api::ClusterApi;
pub use compute::Compute;
pub use edge::Edge;
pub use images::Images;
pub use network::Network;
pub use store::Store;
pub use vault::Vault;
pub use volumes::Volumes;
