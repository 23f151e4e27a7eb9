//! Passwords: argon2id with the parameters OWASP names first for it. Whether a user exists cannot be told by the time an
//! answer takes: for nobody's password the same work is done.

use argon2::{
    Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version,
    password_hash::SaltString,
};
use types::Secret;

/// In bytes. The upper bound keeps a login from being a way to make the platform hash megabytes.
pub const MIN_LEN: usize = 12;
pub const MAX_LEN: usize = 256;

const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Verified against when there is no user: the same parameters, of a password that nobody knows.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZWJvZHkgZWxzZSE$\
    q8nq8Ydq6ce7v8lbxl0P8YgNQv2r8V8gVqk1mJfPZ0M";

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PasswordError {
    #[error("a password has at least {MIN_LEN} bytes")]
    TooShort,
    #[error("a password has at most {MAX_LEN} bytes")]
    TooLong,
    #[error("the password could not be hashed: {0}")]
    Hash(String),
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).expect("constants within bounds");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// A PHC string to keep. It takes tens of milliseconds: not on a thread that serves others.
pub fn hash(password: &Secret) -> Result<String, PasswordError> {
    match password.expose().len() {
        0..MIN_LEN => return Err(PasswordError::TooShort),
        MIN_LEN..=MAX_LEN => {}
        _ => return Err(PasswordError::TooLong),
    }
    let failed = |detail: String| PasswordError::Hash(detail);
    let mut salt = [0u8; 16];
    getrandom::fill(&mut salt).map_err(|error| failed(error.to_string()))?;
    let salt = SaltString::encode_b64(&salt).map_err(|error| failed(error.to_string()))?;
    let phc = argon2()
        .hash_password(password.expose(), &salt)
        .map_err(|error| failed(error.to_string()))?;
    Ok(phc.to_string())
}

/// Whether this is the password of that hash. With none, or one that does not parse, it is not, at the same cost.
pub fn verify(password: &Secret, hash: Option<&str>) -> bool {
    let parsed = hash.and_then(|hash| PasswordHash::new(hash).ok());
    let known = parsed.is_some();
    let nobody = PasswordHash::new(NOBODY).expect("a constant that parses");
    let too_long = password.expose().len() > MAX_LEN;
    // A password that no hash was ever made of costs the same too.
    let given = if too_long { &[][..] } else { password.expose() };
    let matches = argon2().verify_password(given, &parsed.unwrap_or(nobody)).is_ok();
    matches && known && !too_long
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text)
    }

    #[test]
    fn the_right_one_and_only_that() {
        let phc = hash(&secret("correct horse battery")).unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{phc}");
        assert!(verify(&secret("correct horse battery"), Some(&phc)));
        assert!(!verify(&secret("correct horse batterz"), Some(&phc)));
        assert!(!verify(&secret("correct horse battery"), None));
        assert!(!verify(&secret("correct horse battery"), Some("not a hash")));
        assert_ne!(
            hash(&secret("correct horse battery")).unwrap(),
            phc,
            "salts differ"
        );
    }

    #[test]
    fn lengths_are_bounded() {
        assert_eq!(hash(&secret("short")), Err(PasswordError::TooShort));
        assert_eq!(
            hash(&secret(&"x".repeat(MAX_LEN + 1))),
            Err(PasswordError::TooLong)
        );
        assert!(hash(&secret(&"x".repeat(MAX_LEN))).is_ok());
        let empty = argon2()
            .hash_password(b"", &SaltString::encode_b64(b"0123456789abcdef").unwrap())
            .unwrap()
            .to_string();
        assert!(!verify(&secret(&"x".repeat(MAX_LEN + 1)), Some(&empty)));
    }

    #[test]
    fn nobody_costs_what_somebody_costs() {
        let phc = hash(&secret("correct horse battery")).unwrap();
        let wrong = secret("a wrong password");
        let time = |hash: Option<&str>| -> Duration {
            let best = (0..5).map(|_| {
                let start = Instant::now();
                assert!(!verify(&wrong, hash));
                start.elapsed()
            });
            best.min().expect("five tries")
        };
        let (known, unknown) = (time(Some(&phc)), time(None));
        let ratio = unknown.as_secs_f64() / known.as_secs_f64();
        assert!((0.5..2.0).contains(&ratio), "{known:?} against {unknown:?}");
    }
}
