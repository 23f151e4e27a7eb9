//! Identity in the data path: the platform's own certificates, and what the edge answers clusters from.
//!
//! The platform's authorities are sealed in the store. Whoever writes them does so against the state of the books they
//! were read at, as an accepted change does, so that two who need them at once do not each make their own.

mod api;
mod authorities;
mod client;
mod keys;
mod list;
mod publish;
mod rotate;
mod serving;
mod snapshot;

pub use api::{ApiServing, Trust};
pub use iam::pki::{Facts, Level, Stage};
pub use list::{Certificate, CertificateState, Certificates, Progress};
pub use publish::Publisher;

pub(crate) use api::{serving as api_serving, trust};
pub(crate) use authorities::{known, roots_pem};
pub(crate) use client::{client, good_client, revoke_client, seal_client};
pub(crate) use keys::{ring, signing_keys};
pub(crate) use list::{list, progress};
pub(crate) use rotate::begin;
pub(crate) use serving::serving;
pub(crate) use snapshot::snapshot;

use iam::pki::{Issued, PkiError};
use types::{Fault, Timestamp};

use crate::World;

/// Owns what is sealed for the platform itself.
const PLATFORM: &str = "platform";

/// Certificates of ours are renewed when less than this is left: a third of their ninety days.
const RENEW_BEFORE_S: i64 = 30 * 86_400;

fn horizon(world: &World) -> Timestamp {
    world.clock.now().plus(RENEW_BEFORE_S)
}

fn key_pem(issued: &Issued) -> Result<String, Fault> {
    let text = issued.key_pem.expose_str();
    text.map(str::to_owned)
        .map_err(|_| Fault::internal("platform-pki", "a key is not text"))
}

fn broken(error: PkiError) -> Fault {
    let source = std::error::Error::source(&error).map(|source| format!(": {source}"));
    Fault::internal("platform-pki", format!("{error}{}", source.unwrap_or_default()))
}
