//! The platform's own certificates: a root, below it an authority a purpose, below that what services show one another.
//! The root signs authorities only. Each cluster's authorities are its own and hang nowhere below it.

mod authority;
mod facts;
mod leaf;
mod listing;
mod platform;
mod rotation;

pub use facts::Facts;
pub use leaf::{Issued, cluster_of, not_after, serial_in, serial_of};
pub use listing::{AuthorityKind, AuthorityState, Kept};
pub use platform::PlatformPki;
pub use rotation::{Level, Rotation, Stage};

#[derive(Debug, thiserror::Error)]
pub enum PkiError {
    #[error("could not make a key pair")]
    Key(#[source] rcgen::Error),
    #[error("could not sign {what}")]
    Sign {
        what: String,
        #[source]
        source: rcgen::Error,
    },
    #[error("the sealed authorities of the platform do not parse")]
    Sealed,
    #[error("a certificate does not parse")]
    Certificate,
}
