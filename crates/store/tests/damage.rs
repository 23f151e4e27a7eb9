//! What is not a whole store of ours is refused with its place and the reason, and stays as it was.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use ports::{
    Store,
    store::{Batch, Doc, Filter, StoreError, Write},
};
use serde_json::json;
use store::SqliteStore;

async fn fill(path: &Path) {
    let store = SqliteStore::open(path).await.unwrap();
    for n in 0..50 {
        let body = json!("x".repeat(1000));
        let (id, scope) = (n.to_string(), "p".to_owned());
        let doc = Doc {
            kind: "thing",
            id,
            scope,
            name: None,
            parent: None,
            version: 0,
            body,
        };
        store
            .commit(Batch {
                fence: None,
                writes: vec![Write::Put(doc)],
            })
            .await
            .unwrap();
    }
    store.close().await;
}

async fn refused(path: &Path) -> String {
    match SqliteStore::open(path).await.err() {
        Some(StoreError::Corrupt { place, detail }) => {
            assert_eq!(place, path.display().to_string());
            detail
        }
        other => panic!("expected Corrupt, got {other:?}"),
    }
}

#[tokio::test]
async fn a_truncated_file_is_refused_wherever_it_was_cut() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    fill(&path).await;
    let whole = fs::read(&path).unwrap();
    for keep in [
        0,
        1,
        99,
        100,
        512,
        4096,
        8192,
        whole.len() / 2,
        whole.len() - 4096,
        whole.len() - 1,
    ] {
        fs::write(&path, &whole[..keep]).unwrap();
        let detail = refused(&path).await;
        assert!(!detail.is_empty(), "{keep} bytes");
        assert_eq!(
            fs::read(&path).unwrap(),
            whole[..keep],
            "{keep} bytes: it was written to"
        );
    }
    fs::write(&path, &whole).unwrap();
    let store = SqliteStore::open(&path).await.expect("put back, it opens");
    assert_eq!(store.list("thing", &Filter::default()).await.unwrap().len(), 50);
}

#[tokio::test]
async fn garbage_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    fs::write(&path, "not a database, whatever its name says. ".repeat(500)).unwrap();
    refused(&path).await;

    fill(&dir.path().join("t.db")).await;
    let mut holed = fs::read(dir.path().join("t.db")).unwrap();
    let middle = holed.len() / 2 / 4096 * 4096;
    holed[middle..middle + 4096].fill(0xa5);
    fs::write(&path, &holed).unwrap();
    refused(&path).await;
    assert_eq!(fs::read(&path).unwrap(), holed);
}

#[tokio::test]
async fn a_log_without_its_database_is_not_a_first_start() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    fs::write(dir.path().join("s.db-wal"), "frames").unwrap();
    let detail = refused(&path).await;
    assert!(detail.contains("write-ahead log"), "{detail}");
    assert!(!path.exists());
}

#[tokio::test]
async fn only_its_owner_reads_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let store = SqliteStore::open(&path).await.unwrap();
    for file in fs::read_dir(dir.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
    }
    store.close().await;
}

#[tokio::test]
async fn what_a_killed_first_start_left_does_not_stand_in_the_way() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    fs::write(dir.path().join("s.db.new"), "half a database").unwrap();
    fs::write(dir.path().join("s.db.new-wal"), "half a log").unwrap();
    fill(&path).await;
    assert!(!dir.path().join("s.db.new").exists());
    assert!(!dir.path().join("s.db.new-wal").exists());
}

#[tokio::test]
async fn a_missing_directory_is_an_error_with_its_cause() {
    let dir = tempfile::tempdir().unwrap();
    let error = SqliteStore::open(dir.path().join("no/s.db")).await.err();
    assert!(matches!(error, Some(StoreError::Failed { .. })), "{error:?}");
}
