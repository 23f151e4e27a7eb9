//! SSH: pairs of keys made here, all Ed25519 (one a cluster for the platform itself, one a cluster that signs certificates of
//! people, one a machine that it shows), public keys that people bring, and the certificates made over those.

mod certificate;
mod public_key;

pub use certificate::Pass;
pub use public_key::{PublicKey, PublicKeyError};

use serde::{Deserialize, Serialize};
use ssh_key::{LineEnding, PrivateKey, private::Ed25519Keypair, private::KeypairData};
use types::Fault;

/// Serialised only inside sealed material.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SshKey {
    pub private_openssh: String,
    pub public_openssh: String,
}

impl std::fmt::Debug for SshKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SshKey")
            .field("public", &self.public_openssh)
            .finish_non_exhaustive()
    }
}

impl SshKey {
    pub fn generate(comment: &str) -> Result<Self, Fault> {
        let fault =
            |error: ssh_key::Error| Fault::internal("ssh-key", format!("could not make an SSH key: {error}"));
        let mut seed = [0u8; 32];
        getrandom::fill(&mut seed)
            .map_err(|e| Fault::internal("ssh-key", format!("no random bytes: {e}")))?;
        let pair = Ed25519Keypair::from_seed(&seed);
        let key = PrivateKey::new(KeypairData::Ed25519(pair), comment).map_err(fault)?;
        Ok(Self {
            private_openssh: key.to_openssh(LineEnding::LF).map_err(fault)?.to_string(),
            public_openssh: key.public_key().to_openssh().map_err(fault)?,
        })
    }
}
