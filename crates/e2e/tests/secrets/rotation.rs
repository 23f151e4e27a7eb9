//! The master key, replaced on a platform that dies on the way.

use std::{fs, path::PathBuf, time::Duration};

use e2e::{Platform, eventually};
use ports::{
    Store, Vault,
    store::{Batch, Write},
    vault::{Rotation, SecretRef},
};
use store::SqliteStore;
use types::Secret;
use vault::{KeySource, KeyVault};

/// So many that replacing takes seconds.
const ROWS: usize = 12_000;
const KILLS: usize = 6;
const LONG: Duration = Duration::from_secs(240);

fn row(n: usize) -> SecretRef {
    SecretRef::new(format!("test-{n:05}"), "secret")
}

fn content(n: usize) -> Secret {
    Secret::new(format!("content of {n}"))
}

fn key_file(platform: &Platform) -> PathBuf {
    platform.state().join("auth/master.key")
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().expect("a runtime").block_on(work)
}

async fn opened(platform: &Platform) -> (SqliteStore, KeyVault) {
    let path = key_file(platform);
    let vault = KeyVault::open(KeySource::File { path }, true)
        .await
        .expect("the keys");
    let store = SqliteStore::open(platform.state().join("platform.db"))
        .await
        .expect("the store");
    (store, vault)
}

fn fill(platform: &Platform) {
    let _held = platform.without_cloudd();
    run(async {
        let (store, vault) = opened(platform).await;
        for from in (0..ROWS).step_by(1000) {
            let writes = (from..from + 1000).map(|n| Write::PutSecret {
                at: row(n),
                sealed: vault.seal(&row(n), &content(n)).expect("sealed"),
            });
            let (fence, writes) = (None, writes.collect());
            store.commit(Batch { fence, writes }).await.expect("written");
        }
        store.close().await;
    });
}

/// Every row opens with what is kept now, whatever was killed.
fn all_open(platform: &Platform) -> usize {
    run(async {
        let (store, vault) = opened(platform).await;
        for n in 0..ROWS {
            let sealed = store.secret(&row(n)).await.expect("read").expect("there");
            assert_eq!(vault.open(&row(n), &sealed).expect("it opens"), content(n));
        }
        store.close().await;
        vault.keys().len()
    })
}

/// How many rows are under old keys, and how many old keys there are.
fn left(platform: &Platform) -> Result<(u64, usize), String> {
    let text = platform.cloud(&["admin", "keys", "-o", "json"]).try_ok()?;
    let list: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let keys = list["keys"].as_array().ok_or("no list")?;
    let old: Vec<u64> = keys
        .iter()
        .filter(|key| key["seals"] == false)
        .filter_map(|key| key["rows"].as_u64())
        .collect();
    Ok((old.iter().sum(), old.len()))
}

pub fn killed(platform: &Platform) {
    fill(platform);
    platform.wait_until_healthy();
    let before = fs::read_to_string(key_file(platform)).expect("the key");
    platform.cloud(&["admin", "rotate-key", "--no-wait"]).ok();
    let mut under_way = Vec::new();
    for _ in 0..KILLS {
        platform.kill_cloudd();
        platform.wait_until_healthy();
        let (rows, keys) = eventually("the platform answers", LONG, || left(platform));
        if keys == 0 {
            break;
        }
        under_way.push(rows);
        // Asked for again it changes nothing; it gets on for a while, then dies again.
        platform.cloud(&["admin", "rotate-key", "--no-wait"]).ok();
        eventually("it gets on", LONG, || match left(platform)? {
            (now, _) if now < rows => Ok(()),
            (now, _) => Err(format!("{now} left")),
        });
    }
    eprintln!("killed with so many rows left: {under_way:?}");
    assert!(
        under_way.len() >= 2,
        "it was over too soon to be killed: {under_way:?}"
    );
    assert!(under_way.is_sorted_by(|a, b| a >= b), "{under_way:?}");
    platform.cloud(&["admin", "rotate-key"]).ok();
    let done = platform.cloud(&["admin", "keys"]).ok();
    assert_eq!(done.lines().count(), 2, "{done}");
    let after = fs::read_to_string(key_file(platform)).expect("the key");
    assert_eq!((after.lines().count(), after == before), (1, false));
    platform.cloud(&["audit", "verify"]).ok();
    let held = platform.without_cloudd();
    assert_eq!(all_open(platform), 1);
    drop(held);
    platform.wait_until_healthy();
}

/// From the file to a variable: the old key beside a new one, then the new one alone.
pub fn elsewhere(platform: &Platform) {
    let line = fs::read_to_string(key_file(platform)).expect("the key");
    let old = line.trim().rsplit(' ').next().expect("a key").to_owned();
    let new = "7c".repeat(32);
    let settings = |keys: &str| {
        let words = platform.dir().join("environment");
        fs::write(&words, format!("export PLASMACLOUD_MASTER_KEY={keys}\n")).expect("written");
        fs::write(platform.settings(), "[master_key]\nfrom = \"environment\"\n").expect("written");
        platform.restart_cloudd();
    };
    settings(&format!("{new},{old}"));
    eventually("every row is under the new key", LONG, || match left(platform)? {
        (0, 0) => Ok(()),
        (rows, keys) => Err(format!("{rows} rows under {keys} old keys")),
    });
    let refused = platform.cloud(&["admin", "rotate-key"]);
    assert!(
        refused.stderr.contains("vault-key-elsewhere"),
        "{}",
        refused.told()
    );
    settings(&new);
    fs::rename(key_file(platform), platform.dir().join("old.key")).expect("moved");
    platform.restart_cloudd();
    let keys = platform.cloud(&["admin", "keys", "-o", "json"]).json();
    let rows = keys["keys"][0]["rows"].as_u64().unwrap_or_default();
    assert!(rows > ROWS as u64 && keys["keys"][1].is_null(), "{keys}");
    platform.cloud(&["audit", "verify"]).ok();
}
