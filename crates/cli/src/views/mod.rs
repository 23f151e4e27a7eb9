//! How each thing looks on a screen.

pub mod audit;
pub mod bundle;
pub mod cluster;
pub mod event;
pub mod instance;
pub mod key;
pub mod network;
pub mod operation;
pub mod plan;
#[cfg(test)]
pub mod samples;
#[cfg(test)]
mod tests;
