//! What every store does with the audit log: a new record follows the head that the vault sealed, not the last row.
//!
//! The last row can be taken away by whoever can write to the database; the sealed head cannot be made by them. So a log
//! that was cut keeps its gap when it goes on, and one whose head was taken away too goes on unlinked: neither heals.
//! What is not noticed by itself is a database put back whole to an older state, head and all; for that `verify` takes a
//! head that was noted down elsewhere.

use types::{
    Fault, FaultKind, Secret,
    audit::{AuditRecord, Entry, Hash, Head},
};

use crate::vault::{Sealed, SecretRef, Vault};

/// Which records, and in which order.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Milliseconds since the epoch, inclusive.
    pub since_ms: Option<i64>,
    /// Exclusive.
    pub until_ms: Option<i64>,
    /// An actor's id or name.
    pub actor: Option<String>,
    pub project: Option<String>,
    pub org: Option<String>,
    pub page: Page,
    pub limit: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    /// From the newest down.
    #[default]
    Newest,
    /// From the one before this number down.
    Before(u64),
    /// From the one after this number up.
    After(u64),
}

/// Where the sealed head is kept, among the secrets.
pub fn head_at() -> SecretRef {
    SecretRef::new("audit", "head")
}

/// What a record follows when the head that was sealed cannot be told any more. No record has this hash.
const LOST: Hash = Hash([0xff; 32]);

/// The head that was sealed; nothing when it is not there, or is not what the vault sealed.
pub fn sealed_head(vault: &dyn Vault, sealed: Option<&Sealed>) -> Result<Option<Head>, Fault> {
    let Some(sealed) = sealed else { return Ok(None) };
    match vault.open(&head_at(), sealed) {
        Ok(text) => Ok(text.expose_str().ok().and_then(|text| text.parse().ok())),
        Err(fault) if fault.kind == FaultKind::Refused => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The record that `entry` becomes, with the head to be sealed in the same transaction. `sealed` is what is there of the
/// head, `last` the number of the last row.
pub fn go_on(
    vault: &dyn Vault,
    sealed: Option<&Sealed>,
    last: Option<u64>,
    entry: Entry,
) -> Result<(AuditRecord, Sealed), Fault> {
    let first = sealed.is_none() && last.is_none();
    let head = match sealed_head(vault, sealed)? {
        Some(head) => head,
        None if first => Head::default(),
        None => Head {
            sequence: 0,
            hash: LOST,
        },
    };
    let record = entry.after(Head {
        // Rows beyond the head are not ours, but their numbers are taken.
        sequence: head.sequence.max(last.unwrap_or_default()),
        hash: head.hash,
    });
    let sealed = vault.seal(&head_at(), &Secret::new(record.head().to_string()))?;
    Ok((record, sealed))
}
