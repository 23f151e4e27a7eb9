//! The platform's own certificates: a root, below it an authority a purpose, below that what services show one another.
//! The root signs authorities only. Each cluster's authorities are its own and hang nowhere below it.

mod authority;
mod leaf;
mod platform;

pub use leaf::{Issued, cluster_of, not_after, serial_of};
pub use platform::PlatformPki;

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
