//! The daemon `cloudd`: HTTP routes over a [`Surface`], configuration, first start, logs, figures, orderly stop.
//! Nothing here knows how a cluster is made; `wiring` is the one file that does know who does.

pub mod answer;
pub mod audit;
pub mod auth;
pub mod backup;
mod body;
pub mod check;
pub mod config;
pub mod credentials;
pub mod daemon;
mod endpoints;
#[cfg(any(test, feature = "fake"))]
pub mod fake;
pub mod guard;
pub mod instance;
mod kill_probe;
pub mod limits;
mod listener;
pub mod lock;
mod log;
pub mod login_settings;
pub mod master_key;
pub mod metrics;
mod ops_surface;
pub mod options;
mod recipe;
pub mod router;
pub mod state_dir;
pub mod surface;
pub mod teardown;
mod terms;
pub mod tls;
mod token;
pub mod wiring;

pub use surface::Surface;
