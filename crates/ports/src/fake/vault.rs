//! A vault that hides nothing, but is as strict about rows as a real one.

use types::{Fault, Secret};

use crate::vault::{Sealed, SecretRef, Vault};

#[derive(Debug, Clone, Copy, Default)]
pub struct FakeVault;

/// So that the content is not found in clear by a test that looks for it.
const MASK: u8 = 0x5a;

fn row(at: &SecretRef) -> Vec<u8> {
    format!(
        "fake-sealed {}:{}/{}:{}\n",
        at.owner.len(),
        at.owner,
        at.name.len(),
        at.name
    )
    .into_bytes()
}

impl Vault for FakeVault {
    fn seal(&self, at: &SecretRef, secret: &Secret) -> Result<Sealed, Fault> {
        let mut sealed = row(at);
        sealed.extend(secret.expose().iter().map(|byte| byte ^ MASK));
        Ok(Sealed(sealed))
    }

    fn open(&self, at: &SecretRef, sealed: &Sealed) -> Result<Secret, Fault> {
        let content = sealed.0.strip_prefix(row(at).as_slice()).ok_or_else(|| {
            let cause = format!("the secret '{}' of {} belongs to another row", at.name, at.owner);
            Fault::refused("vault-sealed-damaged", cause, "restore the store from its backup")
        })?;
        Ok(Secret::new(
            content.iter().map(|byte| byte ^ MASK).collect::<Vec<u8>>(),
        ))
    }
}
