//! Sealing under one master key that lives in a file only its owner can read.
//!
//! Envelope: every secret has a random key of its own, wrapped by the master key; a new master needs only the wraps to
//! be made again. AES-256-GCM-SIV throughout: a repeated nonce would not give a key away. Both layers bind the row
//! (owner and name), the wrap also the id of the master key, so that sealed bytes open in their own row only.
//!
//! The key file is made once, whole or not at all. It is never made when sealed data exists already: a new key would
//! not open any of it, and would hide that the right one is lost.

mod envelope;
mod file;
mod key_file;

pub use file::FileVault;
