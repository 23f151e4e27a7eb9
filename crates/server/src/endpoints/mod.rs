//! Handlers, one file for each group of routes. Each parses, calls the surface, and shows; none decides anything.

pub mod clusters;
pub mod events;
pub mod images;
pub mod instances;
pub mod networks;
pub mod operations;
pub mod platform;

/// Project and reference: the two parameters of most paths.
pub type Referenced = crate::answer::At<(String, String)>;
