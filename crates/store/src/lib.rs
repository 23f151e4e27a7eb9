//! The platform's memory in one SQLite file: documents with the log of their changes, tasks with fenced leases, the ledger, sealed secrets, events, the audit
//! log.
//!
//! Guarantees
//! - A batch is one transaction: all of it or nothing. When `commit` returns, it is on the disk (WAL with
//!   `synchronous=FULL`: the log is synced before the answer), whatever is killed afterwards.
//! - A fenced batch is checked in the transaction that writes it. A worker whose lease was taken over, given back or
//!   ended writes nothing. Fences come from one counter and are never given twice.
//! - A wake-up during a lease is kept and shortens what `release` asks for.
//! - A file that is empty, truncated, garbage, another program's or of a newer release is refused by `open` and stays as
//!   it is. A new file appears whole or not at all.
//!
//! Assumptions
//! - The file is on a local disk whose `fsync` tells the truth; a network file system has no place here.
//! - All processes that use one file pass the same host's wall clock.
//!
//! Caveats
//! - `open` checks structure, not every byte: SQLite keeps no checksums. A flipped bit inside a body is found when the
//!   body is read, if at all. A write-ahead log cut short by somebody else than SQLite loses its last commits silently.
//! - A lease that ran out, but that nobody took over, still writes: only a takeover makes the next fence.
//! - The fence protects the store. What a worker does to the world between losing its lease and noticing is bounded by
//!   the generations and the idempotence of the other ports.
//! - On the clock: see `tasks`.

mod audit;
mod batch;
mod changes;
mod documents;
mod error;
mod open;
mod pages;
mod place;
mod records;
mod secrets;
mod sqlite;
mod tasks;

pub use sqlite::SqliteStore;
