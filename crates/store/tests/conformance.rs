//! The store keeps the port's contract.

use std::sync::atomic::{AtomicU32, Ordering};

use store::SqliteStore;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keeps_the_contract() {
    let dir = tempfile::tempdir().unwrap();
    let made = AtomicU32::new(0);
    ports::conformance::store::suite(async || {
        let name = format!("{}.db", made.fetch_add(1, Ordering::Relaxed));
        SqliteStore::open(dir.path().join(name)).await.unwrap()
    })
    .await;
}
