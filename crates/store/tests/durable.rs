//! What was acknowledged is there afterwards: after a restart, after `kill -9`, and for another process.

use std::{
    io::{BufRead, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use ports::{
    Store,
    store::{Batch, Doc, Filter, Write},
};
use serde_json::json;
use store::SqliteStore;
use types::operation::{Subject, SubjectKind};

/// Where the child writes. Set only by the parent: without it the child's test does nothing.
const CHILD: &str = "STORE_TEST_CHILD_WRITES_TO";

fn batch(id: &str) -> Batch {
    let (id, scope) = (id.to_owned(), "p".to_owned());
    let doc = Doc {
        kind: "thing",
        id,
        scope,
        name: None,
        parent: None,
        version: 0,
        body: json!({}),
    };
    Batch {
        fence: None,
        writes: vec![Write::Put(doc)],
    }
}

async fn count(store: &SqliteStore) -> usize {
    store.list("thing", &Filter::default()).await.unwrap().len()
}

#[tokio::test]
async fn reopening_keeps_everything() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let subject = Subject {
        kind: SubjectKind::Network,
        id: "n".to_owned(),
    };
    let first = SqliteStore::open(&path).await.unwrap();
    first.commit(batch("a")).await.unwrap();
    let wake = Write::Wake { subject, at_ms: 5 };
    first
        .commit(Batch {
            fence: None,
            writes: vec![wake],
        })
        .await
        .unwrap();
    let before = first.lease("w", 10, 100).await.unwrap().unwrap();
    drop(first);

    let second = SqliteStore::open(&path).await.unwrap();
    assert_eq!(count(&second).await, 1);
    second
        .commit(Batch {
            fence: Some(before.clone()),
            writes: vec![],
        })
        .await
        .expect("a lease outlives its process");
    assert_eq!(second.lease("x", 50, 100).await.unwrap(), None);
    let after = second.lease("x", 110, 100).await.unwrap().unwrap();
    assert!(after.fence > before.fence);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_opens_of_one_file_see_and_exclude_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let (a, b) = tokio::join!(SqliteStore::open(&path), SqliteStore::open(&path));
    let (a, b) = (a.unwrap(), b.unwrap());
    let write = async |store: &SqliteStore, name: &str| {
        for n in 0..20 {
            store.commit(batch(&format!("{name}{n}"))).await.unwrap();
        }
    };
    tokio::join!(write(&a, "a"), write(&b, "b"));
    assert_eq!((count(&a).await, count(&b).await), (40, 40));
    a.close().await;
    b.commit(batch("after")).await.unwrap();
    assert_eq!(count(&b).await, 41);
}

#[tokio::test]
async fn kill_9_loses_nothing_that_was_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    for (round, acknowledged) in [1_usize, 7, 60, 150].into_iter().enumerate() {
        let last = kill_after(&path, round, acknowledged);
        let store = SqliteStore::open(&path).await.unwrap();
        for n in 0..=last {
            let id = format!("{round}-{n}");
            assert!(
                store.get("thing", &id).await.unwrap().is_some(),
                "{id} was acknowledged and is gone"
            );
        }
        store.close().await;
    }
}

/// Starts this very test binary as the child below, and kills it when it has acknowledged so many commits and is on its
/// way with the next. Answers the last one it acknowledged.
fn kill_after(path: &Path, round: usize, acknowledged: usize) -> usize {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "child_writes_until_it_is_killed",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(CHILD, format!("{round}:{}", path.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut acks = lines
        .by_ref()
        .filter_map(|line| line.split("committed ").nth(1)?.parse::<usize>().ok());
    let mut last = acks.by_ref().nth(acknowledged - 1).expect("the child commits");
    child.kill().unwrap();
    child.wait().unwrap();
    // What it still said before it died counts too.
    last = acks.last().unwrap_or(last);
    last
}

#[tokio::test]
async fn child_writes_until_it_is_killed() {
    let Ok(told) = std::env::var(CHILD) else { return };
    let (round, path) = told.split_once(':').unwrap();
    let store = SqliteStore::open(path).await.unwrap();
    for n in 0.. {
        store.commit(batch(&format!("{round}-{n}"))).await.unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "committed {n}").unwrap();
        out.flush().unwrap();
    }
}

/// `cargo test -p store --release --test durable -- --ignored --nocapture`
#[tokio::test]
#[ignore = "a measurement"]
async fn how_long_a_commit_takes() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = SqliteStore::open(dir.path().join("s.db")).await.unwrap();
    let mut taken = Vec::new();
    for n in 0..500 {
        let began = std::time::Instant::now();
        store.commit(batch(&n.to_string())).await.unwrap();
        taken.push(began.elapsed());
    }
    taken.sort_unstable();
    println!(
        "commit: median {:?}, p99 {:?}, worst {:?}",
        taken[250], taken[495], taken[499]
    );
}
