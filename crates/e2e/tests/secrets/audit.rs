//! The audit log under somebody's hands.

use std::fs;

use e2e::Platform;
use sqlx::{ConnectOptions, Connection, Executor, sqlite::SqliteConnectOptions};

pub fn tampering(platform: &Platform) {
    for name in ["one", "two"] {
        platform
            .cloud(&["vpc", "create", "--name", name, "--cidr", "10.30.0.0/16"])
            .ok();
    }
    assert_ne!(platform.cloud(&["vpc", "delete", "nope"]).code, Some(0));
    let list = platform.cloud(&["audit", "list", "--since", "1h"]).ok();
    assert_eq!(list.lines().count(), 4, "{list}");
    let good = platform.cloud(&["audit", "verify"]).ok();
    assert!(good.contains("6 records"), "{good}");
    let head = good.lines().last().expect("the head").to_owned();

    for (sql, told) in [
        (
            "UPDATE audit SET actor_name = 'nobody' WHERE seq = 3",
            "record 3 was changed",
        ),
        (
            "DELETE FROM audit WHERE seq = 6",
            "ends with record 5, but 6 were written",
        ),
        ("DELETE FROM audit WHERE seq = 4", "record 4 is missing"),
    ] {
        let refused = with_changed_database(platform, sql, || platform.cloud(&["audit", "verify"]));
        assert_eq!(refused.code, Some(1), "{}", refused.told());
        assert!(refused.stderr.contains(told), "{}", refused.told());
    }
    // Database and sealed head set back together: only who noted the head can tell.
    let held = platform.without_cloudd();
    let before = flushed(platform);
    drop(held);
    platform.wait_until_healthy();
    platform.cloud(&["vpc", "delete", "two"]).ok();
    let later = platform.cloud(&["audit", "verify", "--known", &head]).ok();
    let later = later.lines().last().expect("the head").to_owned();
    let held = platform.without_cloudd();
    let now = put(platform, &before);
    drop(held);
    platform.wait_until_healthy();
    platform.cloud(&["audit", "verify"]).ok();
    let told = platform.cloud(&["audit", "verify", "--known", &later]);
    assert_eq!(told.code, Some(1), "{}", told.told());
    let held = platform.without_cloudd();
    put(platform, &now);
    drop(held);
    platform.wait_until_healthy();
    platform.cloud(&["audit", "verify", "--known", &later]).ok();
}

/// Changes the database past its triggers while the platform is down, looks, and puts it back.
fn with_changed_database<T>(platform: &Platform, sql: &'static str, look: impl FnOnce() -> T) -> T {
    let held = platform.without_cloudd();
    let before = flushed(platform);
    by_hand(platform, sql);
    drop(held);
    platform.wait_until_healthy();
    let seen = look();
    let held = platform.without_cloudd();
    put(platform, &before);
    drop(held);
    platform.wait_until_healthy();
    seen
}

fn run(work: impl Future<Output = ()>) {
    tokio::runtime::Runtime::new().expect("a runtime").block_on(work);
}

fn by_hand(platform: &Platform, sql: &'static str) {
    let path = platform.state().join("platform.db");
    run(async {
        let mut db = SqliteConnectOptions::new()
            .filename(path)
            .connect()
            .await
            .expect("it opens");
        for statement in [
            "DROP TRIGGER audit_not_changed",
            "DROP TRIGGER audit_not_removed",
            sql,
        ] {
            db.execute(statement).await.expect(statement);
        }
        db.close().await.expect("it closes");
    });
}

/// The database with its log in it, while nobody has it open.
fn flushed(platform: &Platform) -> Vec<u8> {
    let path = platform.state().join("platform.db");
    run(async {
        let mut db = SqliteConnectOptions::new()
            .filename(&path)
            .connect()
            .await
            .expect("it opens");
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            .await
            .expect("flushed");
        db.close().await.expect("it closes");
    });
    fs::read(&path).expect("a copy")
}

/// Puts this database in place, while nobody has it open; answers the one that was there.
fn put(platform: &Platform, database: &[u8]) -> Vec<u8> {
    let before = flushed(platform);
    fs::write(platform.state().join("platform.db"), database).expect("written");
    before
}
