//! Proof that whoever redeems a code is who asked for it (RFC 7636), and the other values a login is tied together with.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use types::Secret;
use zeroize::Zeroizing;

/// 256 random bits as 43 characters that need no escaping: a verifier, a state, a nonce.
pub fn random() -> Secret {
    let mut random = Zeroizing::new([0u8; 32]);
    getrandom::fill(&mut *random).expect("the kernel's random source answers");
    Secret::new(URL_SAFE_NO_PAD.encode(*random))
}

/// What is shown of a verifier beforehand, by the method `S256`.
pub fn challenge(verifier: &Secret) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_that_of_the_standard() {
        let verifier = Secret::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        assert_eq!(
            challenge(&verifier),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
        assert_ne!(random(), random());
        assert_eq!(random().expose().len(), 43);
    }
}
