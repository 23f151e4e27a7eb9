//! The command line `cloud`: reads what is asked, calls the API, shows the answer. It holds no state but logins, and decides
//! nothing that the platform decides. It starts in milliseconds: one thread, nothing set up that a command does not
//! use.

pub mod arguments;
pub mod ask;
pub mod client_file;
pub mod commands;
pub mod connection;
pub mod credentials;
pub mod duration;
pub mod failure;
pub mod follow;
pub mod kubeconfig;
pub mod labels;
pub mod manifest;
pub mod output;
pub mod progress;
pub mod quota;
pub mod selecting;
pub mod surroundings;
pub mod usage;
pub mod views;
pub mod yaml;
