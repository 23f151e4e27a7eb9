//! The store itself: each call takes a connection, runs in one transaction where it writes, and speaks the port's errors.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use ports::{
    Store, Vault,
    audit::AuditFilter,
    changes::Changes,
    paging::{Row, Slice},
    store::{Batch, Doc, Filter, Lease, LedgerEntry, Next, StoreError},
    vault::{Sealed, SecretRef},
};
use sqlx::{Connection, Sqlite, pool::PoolConnection};
use tokio::sync::watch;
use types::{
    Timestamp,
    audit::{AuditRecord, Entry},
    operation::{Event, Subject},
};

use crate::{
    audit, batch, changes, documents,
    error::Trouble,
    open::{self, Pools},
    pages, records, secrets, tasks,
};

/// Readers must not be passed by a writer between the look and the write: the lock is taken at the beginning.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// A cheap handle: clones share the connections. Dropped, it leaves the file as durable as it always was; `close` also moves the log into it.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    path: PathBuf,
    pools: Pools,
    /// The last change that was written through this handle or a clone of it.
    changed: Arc<watch::Sender<u64>>,
}

impl SqliteStore {
    /// Opens the store at `path`, or makes it when there is nothing; its directory must exist.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let pools = open::open(&path).await?;
        let changed = Arc::default();
        Ok(Self { path, pools, changed })
    }

    pub async fn close(&self) {
        self.pools.readers.close().await;
        self.pools.writer.close().await;
    }

    /// A copy of one moment at `to`, where nothing or an empty file is: whole by itself, without a log. Nobody waits for it.
    pub async fn snapshot(&self, to: &Path) -> Result<(), StoreError> {
        let copied = open::snapshot(&self.path, to).await;
        self.told("take a snapshot", copied)
    }

    pub(crate) async fn reader(&self) -> Result<PoolConnection<Sqlite>, Trouble> {
        Ok(self.pools.readers.acquire().await?)
    }

    async fn writer(&self) -> Result<PoolConnection<Sqlite>, Trouble> {
        Ok(self.pools.writer.acquire().await?)
    }

    fn told<T>(&self, op: &'static str, outcome: Result<T, Trouble>) -> Result<T, StoreError> {
        outcome.map_err(|trouble| trouble.at(&self.path, op))
    }
}

/// After an error of its own, SQLite may have rolled back by itself, which the driver's count of open transactions does
/// not notice: the next `BEGIN` on that connection would fail, and so all that follow. Such a connection is not kept.
fn keep_if_sound<T>(connection: &mut PoolConnection<Sqlite>, outcome: &Result<T, Trouble>) {
    match outcome {
        Ok(_) | Err(Trouble::Known(_)) => {}
        Err(Trouble::Sql(_)) => connection.close_on_drop(),
    }
}

/// Runs `$work` with `$tx` in a write transaction. A macro, because the port's futures must be `Send` and an async
/// closure cannot promise that for every lifetime of the transaction it borrows.
macro_rules! in_transaction {
    ($store:expr, $op:literal, |$tx:ident| $work:expr) => {{
        let outcome = async {
            let mut connection = $store.writer().await?;
            let done = async {
                let mut transaction = connection.begin_with(BEGIN).await?;
                let $tx = &mut *transaction;
                let answer = $work.await?;
                transaction.commit().await?;
                Ok(answer)
            }
            .await;
            keep_if_sound(&mut connection, &done);
            done
        }
        .await;
        $store.told($op, outcome)
    }};
}

macro_rules! reading {
    ($store:expr, $op:literal, |$db:ident| $work:expr) => {{
        let outcome = async {
            let mut connection = $store.reader().await?;
            let $db = &mut *connection;
            $work.await
        }
        .await;
        $store.told($op, outcome)
    }};
}

/// Several reads that see the same.
macro_rules! at_one_moment {
    ($store:expr, $op:literal, |$tx:ident| $work:expr) => {{
        let outcome = async {
            let mut connection = $store.reader().await?;
            let done = async {
                let mut transaction = connection.begin().await?;
                let $tx = &mut *transaction;
                let answer = $work.await;
                transaction.rollback().await?;
                answer
            }
            .await;
            keep_if_sound(&mut connection, &done);
            done
        }
        .await;
        $store.told($op, outcome)
    }};
}

#[async_trait]
impl Store for SqliteStore {
    async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        if let Some(last) = in_transaction!(self, "commit", |tx| batch::run(tx, batch))? {
            self.changed
                .send_if_modified(|known| last > std::mem::replace(known, last.max(*known)));
        }
        Ok(())
    }

    async fn get(&self, kind: &'static str, id: &str) -> Result<Option<Doc>, StoreError> {
        reading!(self, "get a document", |db| documents::get(db, kind, id))
    }

    async fn list(&self, kind: &'static str, filter: &Filter) -> Result<Vec<Doc>, StoreError> {
        reading!(self, "list documents", |db| documents::list(db, kind, filter))
    }

    async fn page(
        &self,
        kind: &'static str,
        scope: Option<&str>,
        slice: &Slice,
    ) -> Result<Vec<Row>, StoreError> {
        reading!(self, "list documents by the page", |db| pages::page(
            db, kind, scope, slice
        ))
    }

    async fn last_change(&self) -> Result<u64, StoreError> {
        reading!(self, "read the last change", |db| changes::last(db))
    }

    async fn changes(
        &self,
        kind: &'static str,
        scope: &str,
        after: u64,
        limit: u32,
    ) -> Result<Changes, StoreError> {
        at_one_moment!(self, "read changes", |tx| changes::list(
            tx, kind, scope, after, limit
        ))
    }

    async fn as_of(
        &self,
        kind: &'static str,
        scope: &str,
        number: u64,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<(String, String)>, StoreError> {
        at_one_moment!(self, "read what was", |tx| changes::as_of(
            tx, kind, scope, number, after, limit
        ))
    }

    async fn changed_since(&self, number: u64) {
        // The sender is this handle's own.
        let _ = self.changed.subscribe().wait_for(|last| *last > number).await;
    }

    async fn trim_changes(&self, keep: u32) -> Result<u64, StoreError> {
        in_transaction!(self, "trim changes", |tx| changes::trim(tx, keep))
    }

    async fn forget_changes(&self, ahead: u64) -> Result<(), StoreError> {
        in_transaction!(self, "forget changes", |tx| changes::forget(tx, ahead))
    }

    async fn secret(&self, at: &SecretRef) -> Result<Option<Sealed>, StoreError> {
        reading!(self, "get a secret", |db| secrets::get(db, at))
    }

    async fn secrets(
        &self,
        after: Option<&SecretRef>,
        limit: u32,
    ) -> Result<Vec<(SecretRef, Sealed)>, StoreError> {
        reading!(self, "list secrets", |db| secrets::list(db, after, limit))
    }

    async fn ledger(&self, subject: &Subject) -> Result<Vec<LedgerEntry>, StoreError> {
        reading!(self, "read the ledger", |db| records::ledger(db, subject))
    }

    async fn events(
        &self,
        project: &str,
        subject: Option<&Subject>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<(u64, Event)>, StoreError> {
        reading!(self, "read events", |db| records::events(
            db, project, subject, before, limit
        ))
    }

    async fn trim_events(&self, before: Timestamp) -> Result<u64, StoreError> {
        in_transaction!(self, "trim events", |tx| records::trim_events(tx, before))
    }

    async fn append_audit(&self, entry: Entry, vault: &dyn Vault) -> Result<AuditRecord, StoreError> {
        in_transaction!(self, "write to the audit log", |tx| audit::append(
            tx, entry, vault
        ))
    }

    async fn audit(&self, filter: &AuditFilter) -> Result<Vec<AuditRecord>, StoreError> {
        reading!(self, "read the audit log", |db| audit::list(db, filter))
    }

    async fn lease(&self, owner: &str, now_ms: i64, ttl_ms: i64) -> Result<Option<Lease>, StoreError> {
        if !reading!(self, "look for a due task", |db| tasks::worth_leasing(db, now_ms))? {
            return Ok(None);
        }
        in_transaction!(self, "lease a task", |tx| tasks::lease(tx, owner, now_ms, ttl_ms))
    }

    async fn renew(&self, lease: &Lease, now_ms: i64, ttl_ms: i64) -> Result<(), StoreError> {
        in_transaction!(self, "renew a lease", |tx| tasks::renew(
            tx, lease, now_ms, ttl_ms
        ))
    }

    async fn release(&self, lease: &Lease, next: Next) -> Result<(), StoreError> {
        in_transaction!(self, "release a lease", |tx| tasks::release(tx, lease, next))
    }

    async fn end_leases(&self, owner: &str, now_ms: i64) -> Result<(), StoreError> {
        in_transaction!(self, "end leases", |tx| tasks::end_leases(tx, owner, now_ms))
    }

    async fn next_due_ms(&self) -> Result<Option<i64>, StoreError> {
        reading!(self, "look for the next task", |db| tasks::next_due_ms(db))
    }
}

#[cfg(test)]
mod tests {
    use ports::store::Write;
    use serde_json::json;

    use super::*;

    fn put(id: &str, size: usize) -> Batch {
        let body = json!("x".repeat(size));
        let (id, scope) = (id.to_owned(), "p".to_owned());
        let doc = Doc {
            kind: "thing",
            id,
            scope,
            name: None,
            parent: None,
            version: 0,
            body,
        };
        Batch {
            fence: None,
            writes: vec![Write::Put(doc)],
        }
    }

    #[tokio::test]
    async fn a_full_disk_is_named_and_the_writer_goes_on_once_there_is_room() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path().join("s.db")).await.unwrap();
        store.commit(put("before", 10)).await.unwrap();
        // Belongs to the connection; the one made after the failure is without it, like a disk that was cleared.
        let mut writer = store.writer().await.unwrap();
        sqlx::query("PRAGMA max_page_count = 40")
            .execute(&mut *writer)
            .await
            .unwrap();
        drop(writer);
        let refused = store.commit(put("big", 1 << 20)).await;
        assert!(matches!(refused, Err(StoreError::Full)), "{refused:?}");
        assert!(store.get("thing", "big").await.unwrap().is_none());
        store.commit(put("after", 10)).await.unwrap();
        assert!(store.get("thing", "before").await.unwrap().is_some());
    }

    #[tokio::test]
    async fn commits_are_synced_to_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path().join("s.db")).await.unwrap();
        let mut writer = store.writer().await.unwrap();
        let journal: String = sqlx::query_scalar("PRAGMA journal_mode")
            .fetch_one(&mut *writer)
            .await
            .unwrap();
        let synchronous: i64 = sqlx::query_scalar("PRAGMA synchronous")
            .fetch_one(&mut *writer)
            .await
            .unwrap();
        assert_eq!((journal.as_str(), synchronous), ("wal", 2), "FULL is 2");
    }

    #[tokio::test]
    async fn a_body_that_is_not_ours_is_damage_with_its_row() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path().join("s.db")).await.unwrap();
        store.commit(put("a", 10)).await.unwrap();
        let mut writer = store.writer().await.unwrap();
        sqlx::query("UPDATE documents SET body = '{\"a\":'")
            .execute(&mut *writer)
            .await
            .unwrap();
        let read = store.get("thing", "a").await;
        assert!(
            matches!(&read, Err(StoreError::Corrupt { place, .. }) if place == "thing a"),
            "{read:?}"
        );
    }

    #[tokio::test]
    async fn a_newer_schema_is_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let mut writer = store.writer().await.unwrap();
        sqlx::query(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (9000, 'from the future', TRUE, x'00', 0)",
        )
        .execute(&mut *writer)
        .await
        .unwrap();
        drop(writer);
        store.close().await;
        let error = SqliteStore::open(&path).await.expect_err("it is refused");
        let cause = std::error::Error::source(&error)
            .expect("it says why")
            .to_string();
        assert!(
            cause.contains("9000") && cause.contains("newer"),
            "{error}: {cause}"
        );
    }
}
