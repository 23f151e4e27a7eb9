//! Somebody with the database in their hands changes the audit log, past the triggers that stop us. What `app` makes of it
//! is tested there; here the walk over what the store reads back tells.

use std::path::Path;

use ports::{
    Store,
    audit::{AuditFilter, Page, head_at, sealed_head},
    fake::FakeVault,
    store::StoreError,
};
use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use store::SqliteStore;
use types::audit::{Actor, Breakage, Broken, Entry, Object, Origin, Stage, Verdict, Walk};

const VAULT: FakeVault = FakeVault { key: 1 };

fn entry(n: u32) -> Entry {
    Entry {
        at_ms: i64::from(n),
        stage: Stage::Ended,
        actor: Actor {
            id: "user-0123456789abcdef".to_owned(),
            name: "ana@acme.example".to_owned(),
        },
        origin: Origin::default(),
        action: "deleteCluster".to_owned(),
        object: Object::default(),
        project: None,
        org: None,
        change: None,
        status: Some(202),
        code: None,
        request: n.to_string(),
    }
}

async fn append(store: &SqliteStore, n: u32) {
    store.append_audit(entry(n), &VAULT).await.unwrap();
}

async fn verdict(store: &SqliteStore) -> Verdict {
    let filter = AuditFilter {
        page: Page::After(0),
        limit: 100,
        ..AuditFilter::default()
    };
    let sealed = store.secret(&head_at()).await.unwrap();
    let mut walk = Walk::new(None);
    for record in store.audit(&filter).await.unwrap() {
        if let Err(broken) = walk.step(&record) {
            return walk.broken(broken);
        }
    }
    walk.end(sealed_head(&VAULT, sealed.as_ref()).unwrap())
}

async fn by_hand(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new()
        .filename(path)
        .connect()
        .await
        .unwrap()
}

async fn run(db: &mut SqliteConnection, sql: &'static str) -> Result<(), sqlx::Error> {
    sqlx::query(sql).execute(db).await.map(drop)
}

/// Five records, then what somebody did to them by hand.
async fn tampered(sql: &'static str) -> (tempfile::TempDir, SqliteStore) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let store = SqliteStore::open(&path).await.unwrap();
    for n in 1..=5 {
        append(&store, n).await;
    }
    assert_eq!(verdict(&store).await.broken, None);
    store.close().await;
    let mut db = by_hand(&path).await;
    for trigger in [
        "DROP TRIGGER audit_not_changed",
        "DROP TRIGGER audit_not_removed",
        "DROP TRIGGER audit_not_replaced",
        sql,
    ] {
        run(&mut db, trigger).await.unwrap();
    }
    db.close().await.unwrap();
    (dir, SqliteStore::open(&path).await.unwrap())
}

async fn told(sql: &'static str) -> (u64, Breakage) {
    let (_dir, store) = tampered(sql).await;
    let Broken { sequence, how } = verdict(&store).await.broken.expect("it is told");
    (sequence, how)
}

#[tokio::test]
async fn the_table_is_only_appended_to() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let store = SqliteStore::open(&path).await.unwrap();
    append(&store, 1).await;
    append(&store, 2).await;
    let mut db = by_hand(&path).await;
    for sql in [
        "UPDATE audit SET actor_name = 'nobody' WHERE seq = 1",
        "DELETE FROM audit WHERE seq = 2",
        "INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE seq = 2",
    ] {
        let refused = run(&mut db, sql).await.unwrap_err().to_string();
        assert!(refused.contains("only appended to"), "{sql}: {refused}");
    }
    assert_eq!(verdict(&store).await.records, 2);
}

#[tokio::test]
async fn every_hand_in_the_file_is_told() {
    assert_eq!(
        told("UPDATE audit SET actor_name = 'nobody' WHERE seq = 3").await,
        (3, Breakage::Changed)
    );
    assert_eq!(
        told("UPDATE audit SET project = 'p' WHERE seq = 4").await,
        (4, Breakage::Changed),
        "also what only filters read"
    );
    assert_eq!(
        told("DELETE FROM audit WHERE seq = 2").await,
        (3, Breakage::Gap { expected: 2 })
    );
    assert_eq!(
        told("DELETE FROM audit WHERE seq = 5").await,
        (4, Breakage::Cut { sealed: 5 })
    );
    assert_eq!(told("DELETE FROM audit").await, (0, Breakage::Cut { sealed: 5 }));
    assert_eq!(
        told("DELETE FROM secrets WHERE owner = 'audit'").await,
        (5, Breakage::HeadLost)
    );
    assert_eq!(
        told("UPDATE audit SET seq = CASE seq WHEN 4 THEN 50 ELSE seq END").await,
        (5, Breakage::Gap { expected: 4 })
    );
}

/// The platform goes on writing after the tail was cut, and with it the head: the cut stays.
#[tokio::test]
async fn a_cut_does_not_heal() {
    let (_dir, store) = tampered("DELETE FROM audit WHERE seq = 5").await;
    append(&store, 6).await;
    let broken = verdict(&store).await.broken.unwrap();
    assert_eq!((broken.sequence, broken.how), (6, Breakage::Gap { expected: 5 }));

    let (_dir, store) = tampered("DELETE FROM audit WHERE seq > 3").await;
    let mut db = by_hand(&_dir.path().join("s.db")).await;
    run(&mut db, "DELETE FROM secrets WHERE owner = 'audit'")
        .await
        .unwrap();
    append(&store, 6).await;
    let broken = verdict(&store).await.broken.unwrap();
    assert_eq!((broken.sequence, broken.how), (4, Breakage::Unlinked));
}

#[tokio::test]
async fn what_was_never_ours_is_damage_with_its_row() {
    for sql in [
        "UPDATE audit SET stage = 'done' WHERE seq = 2",
        "UPDATE audit SET status = -1 WHERE seq = 2",
        "UPDATE audit SET hash = x'00' WHERE seq = 2",
        "UPDATE audit SET agent = CAST(x'ff' AS TEXT) WHERE seq = 2",
    ] {
        let (_dir, store) = tampered(sql).await;
        let filter = AuditFilter {
            page: Page::After(0),
            limit: 100,
            ..AuditFilter::default()
        };
        let read = store.audit(&filter).await;
        assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{sql}: {read:?}");
    }
}

/// Two processes on one file, many appends each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_opens_of_one_file_extend_one_chain() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let (a, b) = tokio::join!(SqliteStore::open(&path), SqliteStore::open(&path));
    let (a, b) = (a.unwrap(), b.unwrap());
    let write = async |store: &SqliteStore| {
        for n in 0..25 {
            append(store, n).await;
        }
    };
    tokio::join!(write(&a), write(&b), write(&a), write(&b));
    let verdict = verdict(&a).await;
    assert_eq!((verdict.records, verdict.broken), (100, None));
}
