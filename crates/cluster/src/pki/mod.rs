//! A cluster's own certificate authorities and what they sign. Nothing is chained to a platform root: a cluster that
//! is taken over gives nobody a way into another.

mod authority;
mod expiry;
mod leaf;

pub use authority::Authority;
pub use expiry::not_after;
pub use leaf::{Leaf, LeafRequest, Names, Usage};

use types::Fault;

#[derive(Debug, thiserror::Error)]
pub enum PkiError {
    #[error("could not make a key pair")]
    Key(#[source] rcgen::Error),
    #[error("could not sign the certificate of {subject}")]
    Sign {
        subject: String,
        #[source]
        source: rcgen::Error,
    },
    #[error("the stored certificate authority {name} does not parse")]
    Authority {
        name: String,
        #[source]
        source: rcgen::Error,
    },
    #[error("a stored certificate does not parse: {0}")]
    Certificate(String),
}

impl From<PkiError> for Fault {
    fn from(error: PkiError) -> Self {
        use std::error::Error as _;
        let source = error.source().map(|s| format!(": {s}")).unwrap_or_default();
        Fault::internal("cluster-pki", format!("{error}{source}"))
    }
}
