//! Who shares the platform: organisations, projects, people and programs; how they prove who they are.
//!
//! What somebody may do is not decided here: routes say what they ask for, and the caller's grants are compared with
//! that in one place. Here a request is only bent to what its caller can see: what is another tenant's does not exist.

mod authenticate;
mod doors;
mod external;
mod first;
mod grants;
mod invitations;
mod keys;
mod login;
mod members;
mod orgs;
mod passwords;
mod people;
mod projects;
mod secrets;
mod service_accounts;
mod sessions;
mod shares;
mod ssh;
mod tokens;

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use ports::{Clock, Store, Vault};
use serde::{Serialize, de::DeserializeOwned};
use types::Fault;
use workflow::Signals;

use crate::{
    books::{self, Decision},
    records, terms,
};

pub use doors::{Doors, GroupRule, ProviderRules, RulePlace};
pub use external::Presented;
pub use grants::GrantedCluster;
pub use invitations::Invited;
pub use members::Member;
pub use passwords::Reset;
pub use projects::Entered;
pub use secrets::Revealed;
pub use sessions::Pair;
pub use shares::SharedCluster;
pub use tokens::Fresh;

/// How long an answer waits for an edge that does not.
const EDGE_PATIENCE: Duration = Duration::from_secs(2);

/// A day: long enough to notice.
pub const GRACE_S: u32 = 86_400;

/// The audience of tokens for the platform's own API.
pub const AUDIENCE: &str = "plasmacloud";

/// A cheap handle.
#[derive(Clone)]
pub struct Tenants {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    vault: Arc<dyn Vault>,
    signals: Arc<Signals>,
    keys: Arc<keys::Keys>,
    /// How long what an ended project had in a shared cluster is kept.
    grace_s: i64,
    /// Who says so in every token: the platform's address as its users know it.
    issuer: Arc<str>,
    doors: Arc<Doors>,
}

impl Tenants {
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        vault: Arc<dyn Vault>,
        signals: Arc<Signals>,
        issuer: &str,
    ) -> Self {
        Self {
            store,
            clock,
            vault,
            signals,
            keys: Arc::default(),
            issuer: issuer.into(),
            doors: Arc::default(),
            grace_s: GRACE_S.into(),
        }
    }

    /// With another grace for what ended projects leave in shared clusters.
    pub fn with_grace(self, seconds: u32) -> Self {
        Self {
            grace_s: seconds.into(),
            ..self
        }
    }

    /// With these ways in instead of passwords alone.
    pub fn with_doors(self, doors: Doors) -> Self {
        Self {
            doors: Arc::new(doors),
            ..self
        }
    }

    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    async fn accept<'a, T>(
        &self,
        decide: impl Fn() -> BoxFuture<'a, Result<Decision<T>, Fault>> + Send + Sync,
    ) -> Result<T, Fault> {
        let answer = books::accept(&*self.store, &self.signals, decide).await?;
        self.edge_told().await?;
        Ok(answer)
    }

    /// The same, once for each key that a call may carry.
    async fn accept_once<'a, T: Serialize + DeserializeOwned + Send>(
        &self,
        decide: impl Fn() -> BoxFuture<'a, Result<Decision<T>, Fault>> + Send + Sync,
    ) -> Result<T, Fault> {
        let answer = terms::accept_once(&*self.store, &self.signals, self.clock.now(), decide).await?;
        self.edge_told().await?;
        Ok(answer)
    }

    /// Whoever hears that a token was revoked may rely on it: clusters ask the edge.
    async fn edge_told(&self) -> Result<(), Fault> {
        let generation = records::ground(&*self.store).await?.value.edge_generation;
        self.signals.until_edge_told(generation, EDGE_PATIENCE).await;
        Ok(())
    }
}
