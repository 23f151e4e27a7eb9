//! Sealing under a master key that lives in a file only its owner can read, in the environment, or wrapped by a key
//! service.
//!
//! Envelope: every secret has a random key of its own, wrapped by the master key; a new master needs only the wraps to
//! be made again. AES-256-GCM-SIV throughout: a repeated nonce would not give a key away. Both layers bind the row
//! (owner and name), the wrap also the id of the master key, so that sealed bytes open in their own row only.
//!
//! Several master keys are known at once while one takes over from another. The file they are kept in changes whole or
//! not at all. It is never made when sealed data exists already: a new key would not open any of it, and would hide that
//! the right one is lost.

mod envelope;
mod hex;
mod key_file;
mod keyring;
mod passphrase;
mod source;
mod transit;
mod vault;

pub use passphrase::{SealedReader, SealedWriter};
pub use source::KeySource;
pub use transit::TransitOptions;
pub use vault::KeyVault;
