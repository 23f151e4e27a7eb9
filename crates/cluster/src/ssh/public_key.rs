//! Public keys that people hand in: parsed, weak ones refused, and a private key that came by mistake told apart.

use ssh_key::{Algorithm, HashAlg, public::KeyData};
use types::{Fault, ssh_key::looks_private};

/// No public key is longer.
const LONGEST: usize = 16 * 1024;
const RSA_BITS: usize = 3072;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublicKeyError {
    /// It is not repeated: whoever reads this error must not find it here.
    #[error("that is a private key")]
    Private,
    #[error("it is not one line as OpenSSH writes public keys")]
    Unreadable,
    #[error("keys of the kind '{0}' are not taken")]
    Kind(String),
    #[error("an RSA key of {0} bits is too short")]
    Short(usize),
}

impl From<PublicKeyError> for Fault {
    fn from(error: PublicKeyError) -> Self {
        let cause = error.to_string();
        let fault = match error {
            PublicKeyError::Private => Self::unfit(
                "ssh-key-private",
                cause,
                "give the file that ends in .pub; the platform keeps nothing of what was sent, and yet a private key \
                 that was sent anywhere is better replaced",
            ),
            PublicKeyError::Unreadable => Self::unfit(
                "ssh-key-invalid",
                cause,
                "give the line of a file such as ~/.ssh/id_ed25519.pub",
            ),
            PublicKeyError::Kind(_) | PublicKeyError::Short(_) => Self::unfit(
                "ssh-key-weak",
                cause,
                format!(
                    "make one with `ssh-keygen -t ed25519`; ECDSA, RSA from {RSA_BITS} bits and keys on hardware \
                     (sk-…) are taken too"
                ),
            ),
        };
        fault.at("public")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey(ssh_key::PublicKey);

impl PublicKey {
    pub fn parse(text: &str) -> Result<Self, PublicKeyError> {
        if looks_private(text) {
            return Err(PublicKeyError::Private);
        }
        let line = text.trim();
        if line.len() > LONGEST || line.chars().any(char::is_control) {
            return Err(PublicKeyError::Unreadable);
        }
        let mut key = ssh_key::PublicKey::from_openssh(line).map_err(|_| PublicKeyError::Unreadable)?;
        match key.key_data() {
            KeyData::Ed25519(_)
            | KeyData::Ecdsa(_)
            | KeyData::SkEd25519(_)
            | KeyData::SkEcdsaSha2NistP256(_) => {}
            KeyData::Rsa(rsa) => {
                let modulus = rsa.n.as_positive_bytes().unwrap_or_default();
                let unused = modulus.first().map_or(0, |first| first.leading_zeros() as usize);
                let bits = modulus.len() * 8 - unused;
                if bits < RSA_BITS {
                    return Err(PublicKeyError::Short(bits));
                }
            }
            other => return Err(PublicKeyError::Kind(kind(&other.algorithm()))),
        }
        // Whose it is, the platform knows by itself.
        key.set_comment("");
        Ok(Self(key))
    }

    /// Without a comment.
    pub fn openssh(&self) -> Result<String, Fault> {
        let text = self.0.to_openssh();
        text.map_err(|error| Fault::internal("ssh-key", format!("a public key cannot be written: {error}")))
    }

    /// `SHA256:…`, as `ssh-keygen -l` shows it.
    pub fn fingerprint(&self) -> String {
        self.0.fingerprint(HashAlg::Sha256).to_string()
    }

    pub(super) fn data(&self) -> &KeyData {
        self.0.key_data()
    }
}

fn kind(algorithm: &Algorithm) -> String {
    algorithm.as_str().chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by `ssh-keygen`; their private halves are gone.
    const ED25519: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti user@example.com";
    const ECDSA: &str = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHwf2HMM5TRXvo2SQJjsNkiDD5KqiiNjrGVv3UUh+mMT5RHxiRtOnlqvjhQtBq0VpmpCV/PwUdhOig4vkbqAcEc= user@example.com";
    const SK: &str = "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAICFo/k5LU8863u66YC9eUO2170QduohPURkQnbLa/dczAAAABHNzaDo= user@example.com";

    #[test]
    fn good_ones_lose_their_comment_and_keep_their_fingerprint() {
        for line in [ED25519, ECDSA, SK] {
            let key = PublicKey::parse(&format!("  {line}\n")).unwrap_or_else(|e| panic!("{line}: {e}"));
            let plain = key.openssh().unwrap();
            assert!(line.starts_with(plain.trim()), "{plain}");
            assert!(key.fingerprint().starts_with("SHA256:"));
        }
        assert_eq!(
            PublicKey::parse(ED25519).unwrap().fingerprint(),
            "SHA256:UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ"
        );
    }

    #[test]
    fn a_private_key_is_refused_without_being_repeated() {
        let pasted = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END OPENSSH PRIVATE KEY-----\n";
        let error = PublicKey::parse(pasted).unwrap_err();
        assert_eq!(error, PublicKeyError::Private);
        let fault = Fault::from(error);
        assert!(!format!("{fault:?}").contains("b3Blbn"), "{fault:?}");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in [
            "",
            "ssh-ed25519",
            "ssh-ed25519 AAAA",
            "command=\"x\" ssh-ed25519 AAAA",
            "a\nb",
        ] {
            assert_eq!(PublicKey::parse(text), Err(PublicKeyError::Unreadable), "{text}");
        }
    }
}
