//! TokenReview inside a network: a cluster's apiserver asks who holds a token, over TLS with a certificate of its own.
//!
//! Who asks is known from the network it asks in and the certificate it shows, never from what it says. The answer comes
//! from the snapshot of identities in force, so it needs nobody else, and `cloudd` least of all.

mod answer;
mod cache;
mod connection;
mod desk;
mod door;
mod tls;
mod visitors;

pub use answer::{Answers, Unreadable};
pub use connection::serve;
pub use desk::Desk;
pub use door::Door;
pub use tls::{Caller, Tls, TlsError};
