//! The platform's certificates, for its operators.

use iam::pki::Level;
use types::Fault;

use super::Ops;
use crate::identity::{self, ApiServing, Certificates, Progress, Trust};

impl Ops {
    pub async fn certificates(&self) -> Result<Certificates, Fault> {
        identity::list(&self.world).await
    }

    /// Begins to replace an authority, or joins what runs. The loop that tells the edge moves it on.
    pub async fn rotate_certificates(&self, level: Level, force: bool) -> Result<Progress, Fault> {
        let pki = identity::begin(&self.world, level, force).await?;
        identity::progress(&pki)
            .ok_or_else(|| Fault::internal("rotation-gone", "a rotation that was begun is not there"))
    }

    /// What the API is served with; nothing where it has no certificate of ours.
    pub async fn api_serving(&self) -> Result<Option<ApiServing>, Fault> {
        identity::api_serving(&self.world).await
    }

    /// What certificates of the platform's services are checked against.
    pub async fn trust(&self) -> Result<Trust, Fault> {
        identity::trust(&self.world).await
    }
}
