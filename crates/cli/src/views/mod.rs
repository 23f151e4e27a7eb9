//! How each thing looks on a screen.

pub mod audit;
pub mod authority;
pub mod bundle;
pub mod certificate;
pub mod cluster;
pub mod context;
pub mod event;
pub mod instance;
pub mod invitation;
pub mod key;
pub mod network;
pub mod operation;
pub mod org;
pub mod place;
pub mod plan;
pub mod project;
pub mod quota;
#[cfg(test)]
pub mod samples;
pub mod secret;
pub mod service_account;
pub mod ssh_key;
#[cfg(test)]
mod tenant_tests;
#[cfg(test)]
mod tests;
pub mod token;
pub mod whoami;
