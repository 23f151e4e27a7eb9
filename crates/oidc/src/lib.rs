//! Logging in at an OpenID Connect provider that somebody else runs: in a browser (authorization code with PKCE, back to
//! the loopback interface of whoever logs in) or on a device without one (RFC 8628).
//!
//! What comes out is what the provider said of a person, verified. Who that is on this platform, and what they may do, is
//! not decided here. Tokens of the provider are looked at once and kept nowhere.
//!
//! - `settings`: a provider as the operator describes it;
//! - `provider`: what it is asked, and its answers;
//! - `web`: how it is asked. Only hosts that the settings name are, and none is followed elsewhere;
//! - `pending`: logins that were begun, few and for a short time;
//! - `logins`: begin and complete.

mod discovery;
mod form;
mod logins;
mod pending;
mod provider;
mod settings;
mod web;

pub use logins::{Begun, Flow, Logins, Outcome};
pub use provider::Asserted;
pub use settings::{Loopback, Settings};
