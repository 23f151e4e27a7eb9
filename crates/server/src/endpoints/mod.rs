//! Handlers, one file for each group of routes. Each parses, calls the surface, and shows; none decides anything.

pub mod clusters;
pub mod events;
pub mod images;
pub mod instances;
pub mod login;
pub mod members;
pub mod networks;
pub mod operations;
pub mod orgs;
pub mod platform;
pub mod projects;
pub mod tokens;
