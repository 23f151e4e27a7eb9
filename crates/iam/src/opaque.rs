//! Bearer strings that mean nothing by themselves: refresh tokens, invitations. 256 random bits, so that a plain digest
//! is enough to keep: nobody searches that space.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use types::Secret;
use zeroize::Zeroizing;

/// `<prefix>_<43 URL-safe characters>`; the prefix tells a person, or a scanner of leaked files, what was found.
pub fn generate(prefix: &str) -> Secret {
    let mut random = Zeroizing::new([0u8; 32]);
    getrandom::fill(&mut *random).expect("the kernel's random source answers");
    let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(*random));
    Secret::new(format!("{prefix}_{}", *text))
}

/// SHA-256 in hex: what is kept instead of the string, and looked up by.
pub fn digest(opaque: &Secret) -> String {
    hex(&Sha256::digest(opaque.expose()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_are_alike_and_a_digest_is_sha256() {
        let (one, two) = (generate("rt"), generate("rt"));
        assert_ne!(one, two);
        let text = one.expose_str().unwrap();
        assert!(text.starts_with("rt_") && text.len() == 3 + 43, "{}", text.len());
        assert!(
            text.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        );
        assert_eq!(
            digest(&Secret::new("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
