//! The platform's memory: documents and what changed of them (`changes`), tasks with fenced leases, the ledger, secrets (sealed), events, the audit log.
//!
//! Guarantees: a batch is all or nothing and durable when `commit` returns. Assumptions: any number of processes may
//! use one store. A lease is exclusive until it runs out; its fence number rises with every lease of that task, and a
//! batch carrying an old fence is refused, so that a worker that lost its lease cannot write.

use async_trait::async_trait;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use types::{
    Timestamp,
    audit::{AuditRecord, Entry},
    operation::{Event, Subject},
};

use crate::{
    audit::AuditFilter,
    changes::Changes,
    paging::{Row, Slice},
    vault::{KeyMark, Sealed, SecretRef, Vault},
};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the {kind} '{name}' exists already")]
    NameTaken { kind: &'static str, name: String },
    #[error("{kind} '{id}' was changed by somebody else meanwhile")]
    Stale { kind: &'static str, id: String },
    #[error("what changed after number {after} is no longer known")]
    Forgotten { after: u64 },
    #[error("the lease on {subject} was lost")]
    Fenced { subject: Subject },
    #[error("the store at {place} is damaged: {detail}")]
    Corrupt { place: String, detail: String },
    #[error("the disk that holds the store is full")]
    Full,
    #[error("the store could not {op}")]
    Failed {
        op: &'static str,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The scope of what belongs to no tenant.
pub const PLATFORM: &str = "platform";

/// A kind of document. The body is the domain type itself; rows stay private to the adapter.
pub trait Entity: Serialize + DeserializeOwned + Send + Sync {
    const KIND: &'static str;
    fn id(&self) -> &str;
    /// What its name is unique in: a project's id for most kinds, an organisation's, or [`PLATFORM`].
    fn scope(&self) -> &str;
    /// Unique in kind and scope, where a kind has names.
    fn name(&self) -> Option<&str>;
    /// The id of what this belongs to, for listing by it.
    fn parent(&self) -> Option<&str>;
}

/// A document as stored. `version` is 0 for one that is not stored yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Doc {
    pub kind: &'static str,
    pub id: String,
    pub scope: String,
    pub name: Option<String>,
    pub parent: Option<String>,
    pub version: u64,
    pub body: serde_json::Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versioned<T> {
    pub version: u64,
    pub value: T,
}

impl Doc {
    pub fn new<T: Entity>(value: &T, version: u64) -> Self {
        Self {
            kind: T::KIND,
            id: value.id().to_owned(),
            scope: value.scope().to_owned(),
            name: value.name().map(str::to_owned),
            parent: value.parent().map(str::to_owned),
            version,
            body: serde_json::to_value(value).expect("domain types serialise"),
        }
    }

    pub fn read<T: Entity>(self) -> Result<Versioned<T>, StoreError> {
        let place = format!("{} {}", self.kind, self.id);
        let value = serde_json::from_value(self.body).map_err(|error| StoreError::Corrupt {
            place,
            detail: error.to_string(),
        })?;
        Ok(Versioned {
            version: self.version,
            value,
        })
    }
}

#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub scope: Option<String>,
    pub name: Option<String>,
    pub parent: Option<String>,
}

impl Filter {
    pub fn within(scope: &str) -> Self {
        Self {
            scope: Some(scope.to_owned()),
            ..Self::default()
        }
    }

    pub fn named(scope: &str, name: &str) -> Self {
        Self {
            name: Some(name.to_owned()),
            ..Self::within(scope)
        }
    }

    pub fn below(parent: &str) -> Self {
        Self {
            parent: Some(parent.to_owned()),
            ..Self::default()
        }
    }
}

#[derive(Debug, Clone)]
pub enum Write {
    /// Version 0 inserts (name taken is refused), another version replaces exactly that one.
    Put(Doc),
    Delete {
        kind: &'static str,
        id: String,
    },
    /// The task of a subject, to run at `at` or when it is due already. Made when there is none; one that nobody works on
    /// forgets its failures, because something new was asked for.
    Wake {
        subject: Subject,
        at_ms: i64,
    },
    /// The subject is gone; so is its task.
    EndTask {
        subject: Subject,
    },
    LedgerAdd(LedgerEntry),
    LedgerRemove {
        subject: Subject,
        kind: String,
        id: String,
    },
    /// Sealed under a key that was retired meanwhile, it is stale.
    PutSecret {
        at: SecretRef,
        sealed: Sealed,
    },
    /// Only where `was` is what is stored; otherwise, or when there is nothing, it is stale.
    ReplaceSecret {
        at: SecretRef,
        was: Sealed,
        sealed: Sealed,
    },
    /// No secret is under this key, or it is stale; and none will be: what is put under it later is stale, too. So
    /// whoever sealed before the key was replaced and writes after it was dropped is told to seal again.
    RetireKey(KeyMark),
    /// Every secret of an owner.
    DeleteSecrets {
        owner: String,
    },
    Event(Event),
}

/// Something about to be made, written before it is. What is not in the ledger was never begun.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LedgerEntry {
    pub subject: Subject,
    /// `machine`, `volume`, `port`, `route` …
    pub kind: String,
    pub id: String,
}

#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub fence: Option<Lease>,
    pub writes: Vec<Write>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub subject: Subject,
    pub owner: String,
    pub fence: u64,
    /// How often in a row the subject failed before this lease.
    pub failures: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    pub run_at_ms: i64,
    pub failures: u32,
}

#[async_trait]
pub trait Store: Send + Sync {
    async fn commit(&self, batch: Batch) -> Result<(), StoreError>;

    async fn get(&self, kind: &'static str, id: &str) -> Result<Option<Doc>, StoreError>;

    async fn list(&self, kind: &'static str, filter: &Filter) -> Result<Vec<Doc>, StoreError>;

    /// So many of a kind, in an order and from a place; with a scope, only those in it. Reads no more rows than it answers.
    async fn page(
        &self,
        kind: &'static str,
        scope: Option<&str>,
        slice: &Slice,
    ) -> Result<Vec<Row>, StoreError>;

    /// The number of the last change; 0 before the first.
    async fn last_change(&self) -> Result<u64, StoreError>;

    /// What changed after a number, oldest first.
    async fn changes(
        &self,
        kind: &'static str,
        scope: &str,
        after: u64,
        limit: u32,
    ) -> Result<Changes, StoreError>;

    /// Ids and bodies as they were when `number` was the last change, in the order of ids, from after the one given.
    async fn as_of(
        &self,
        kind: &'static str,
        scope: &str,
        number: u64,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<(String, String)>, StoreError>;

    /// Returns when this process has written a change with a higher number. Another's changes are found by asking.
    async fn changed_since(&self, number: u64);

    /// Keeps the newest changes of each scope, this many.
    async fn trim_changes(&self, keep: u32) -> Result<u64, StoreError>;

    /// Forgets every change, and numbers the next as if so many more had been: for a store that was put back, whose own
    /// later numbers somebody may have heard already.
    async fn forget_changes(&self, ahead: u64) -> Result<(), StoreError>;

    async fn secret(&self, at: &SecretRef) -> Result<Option<Sealed>, StoreError>;

    /// Every secret by page, in the order of owner and name, from after the one given.
    async fn secrets(
        &self,
        after: Option<&SecretRef>,
        limit: u32,
    ) -> Result<Vec<(SecretRef, Sealed)>, StoreError>;

    async fn ledger(&self, subject: &Subject) -> Result<Vec<LedgerEntry>, StoreError>;

    /// Newest first, each with its number; from the newest before `before`.
    async fn events(
        &self,
        project: &str,
        subject: Option<&Subject>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<(u64, Event)>, StoreError>;

    async fn trim_events(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Adds to the audit log; see `audit` for what it follows. The record and the head that is sealed anew are one
    /// transaction: of any number of callers at once, each gets a number of its own and follows the one before it.
    async fn append_audit(&self, entry: Entry, vault: &dyn Vault) -> Result<AuditRecord, StoreError>;

    /// As they are stored, tampered with or not: whoever asks for the chain checks it.
    async fn audit(&self, filter: &AuditFilter) -> Result<Vec<AuditRecord>, StoreError>;

    /// Takes the task that is due longest, if any, for `ttl_ms`.
    async fn lease(&self, owner: &str, now_ms: i64, ttl_ms: i64) -> Result<Option<Lease>, StoreError>;

    async fn renew(&self, lease: &Lease, now_ms: i64, ttl_ms: i64) -> Result<(), StoreError>;

    /// Gives the task back, due at `next` — or earlier, when somebody woke it meanwhile.
    async fn release(&self, lease: &Lease, next: Next) -> Result<(), StoreError>;

    /// Ends the leases of an owner that is known to be dead, such as this one's own earlier life.
    async fn end_leases(&self, owner: &str, now_ms: i64) -> Result<(), StoreError>;

    /// When the earliest task is due, leased or not.
    async fn next_due_ms(&self) -> Result<Option<i64>, StoreError>;
}
