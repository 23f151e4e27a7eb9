//! A vault that hides little, but is as strict about rows, keys and changed bytes as a real one.

use types::{Fault, Secret};

use super::world::fnv;
use crate::vault::{Sealed, SecretRef, Vault};

/// Vaults with the same key open what each other sealed.
#[derive(Debug, Clone, Copy, Default)]
pub struct FakeVault {
    pub key: u8,
}

/// So that the content is not found in clear by a test that looks for it.
const MASK: u8 = 0x5a;

impl FakeVault {
    /// Over the row, so that it opens there only, and over every byte.
    fn seal_of(self, at: &SecretRef, masked: &[u8]) -> Vec<u8> {
        let row = format!(
            "{} {}:{} {}:{}\n",
            self.key,
            at.owner.len(),
            at.owner,
            at.name.len(),
            at.name
        );
        fnv(&[row.as_bytes(), masked].concat()).into_bytes()
    }
}

impl Vault for FakeVault {
    fn seal(&self, at: &SecretRef, secret: &Secret) -> Result<Sealed, Fault> {
        let masked: Vec<u8> = secret.expose().iter().map(|byte| byte ^ MASK).collect();
        Ok(Sealed(
            [&[self.key], &self.seal_of(at, &masked)[..], &masked].concat(),
        ))
    }

    fn open(&self, at: &SecretRef, sealed: &Sealed) -> Result<Secret, Fault> {
        let refuse = |code: &'static str, what: &str, remedy: &str| {
            let cause = format!("the secret '{}' of {} {what}", at.name, at.owner);
            Err(Fault::refused(code, cause, remedy))
        };
        let Some((key, rest)) = sealed.0.split_first() else {
            return refuse(
                "vault-sealed-damaged",
                "is cut",
                "restore the store from its backup",
            );
        };
        if *key != self.key {
            return refuse(
                "vault-wrong-key",
                "was sealed with another key",
                "put the right key back",
            );
        }
        let length = self.seal_of(at, &[]).len();
        match rest.split_at_checked(length) {
            Some((seal, masked)) if seal == self.seal_of(at, masked) => Ok(Secret::new(
                masked.iter().map(|byte| byte ^ MASK).collect::<Vec<u8>>(),
            )),
            _ => refuse(
                "vault-sealed-damaged",
                "is damaged or belongs to another row",
                "restore the store from its backup",
            ),
        }
    }
}
