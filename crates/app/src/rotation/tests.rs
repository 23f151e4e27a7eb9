//! From one key to the next: whole, with somebody writing meanwhile, killed at every write, and with a row nobody can open.

use ports::{
    Vault,
    fake::{FakeKeyring, KillSwitch, MemoryStore},
    vault::Sealed,
};
use types::Secret;

use super::*;

const ROWS: usize = 2 * PAGE as usize + 7;

fn row(n: usize) -> SecretRef {
    SecretRef::new(format!("owner-{n:03}"), "ca")
}

fn put(vault: &FakeKeyring, at: SecretRef) -> Batch {
    let sealed = vault.seal(&at, &Secret::new(at.owner.clone())).unwrap();
    Batch {
        fence: None,
        writes: vec![Write::PutSecret { at, sealed }],
    }
}

async fn filled(store: &MemoryStore, vault: &FakeKeyring) {
    for n in 0..ROWS {
        store.commit(put(vault, row(n))).await.unwrap();
    }
}

fn rotator(store: &MemoryStore, vault: &FakeKeyring) -> Rotator {
    Rotator::new(Arc::new(store.clone()), Arc::new(vault.clone()))
}

/// Every row opens with what this vault knows.
async fn all_open(store: &MemoryStore, vault: &FakeKeyring) {
    for n in 0..ROWS {
        let sealed = store.secret(&row(n)).await.unwrap().unwrap();
        assert_eq!(
            vault.open(&row(n), &sealed).unwrap().expose(),
            row(n).owner.as_bytes()
        );
    }
}

#[tokio::test]
async fn every_row_goes_over_and_the_old_key_goes() {
    let (store, vault) = (MemoryStore::new(), FakeKeyring::with_key(1));
    filled(&store, &vault).await;
    let rotator = rotator(&store, &vault);
    rotator.begin().await.unwrap();
    rotator.begin().await.unwrap();
    let rows = async || -> Vec<u64> {
        let keys = rotator.keys().await.unwrap();
        keys.iter().map(|key| key.rows).collect()
    };
    assert_eq!(rows().await, [ROWS as u64, 0], "asked for twice, begun once");
    rotator.rotate().await.unwrap();
    assert_eq!(rows().await, [ROWS as u64]);
    all_open(&store, &vault.restarted()).await;
    rotator.check().await.unwrap();

    rotator.begin().await.unwrap();
    rotator.rotate().await.unwrap();
    all_open(&store, &vault.restarted()).await;
}

/// Dies before or after each write of the store, one after the other; a new process goes on.
#[tokio::test]
async fn killed_at_every_write_it_goes_on() {
    let mut points = 0;
    loop {
        let kill = KillSwitch::default();
        let (store, vault) = (
            MemoryStore::with_kill_switch(kill.clone()),
            FakeKeyring::with_key(1),
        );
        filled(&store, &vault).await;
        rotator(&store, &vault).begin().await.unwrap();
        kill.arm(points);
        let rotator_that_dies = rotator(&store, &vault);
        let survived = tokio::select! {
            ended = rotator_that_dies.rotate() => ended.is_ok(),
            () = kill.killed() => false,
        };
        let restarted = vault.restarted();
        all_open(&store, &restarted).await;
        kill.disarm();
        let again = rotator(&store, &restarted);
        again.rotate().await.unwrap();
        assert_eq!(again.keys().await.unwrap().len(), 1);
        all_open(&store, &restarted.restarted()).await;
        if survived {
            break;
        }
        points += 1;
    }
    assert!(points >= 6, "only {points} points");
}

#[tokio::test]
async fn who_sealed_before_and_writes_after_is_told_to_seal_again() {
    let (store, vault) = (MemoryStore::new(), FakeKeyring::with_key(1));
    let late = put(&vault, row(0));
    let rotator = rotator(&store, &vault);
    rotator.begin().await.unwrap();
    rotator.rotate().await.unwrap();
    let refused = store.commit(late).await;
    assert!(matches!(refused, Err(StoreError::Stale { .. })), "{refused:?}");
    store.commit(put(&vault, row(0))).await.unwrap();
}

#[tokio::test]
async fn rows_that_change_meanwhile_are_not_set_back() {
    let (store, vault) = (MemoryStore::new(), FakeKeyring::with_key(1));
    filled(&store, &vault).await;
    let rotator = rotator(&store, &vault);
    rotator.begin().await.unwrap();
    let write = async {
        for n in (0..ROWS).rev() {
            let sealed = vault.seal(&row(n), &Secret::new("newer")).unwrap();
            let writes = vec![Write::PutSecret { at: row(n), sealed }];
            store.commit(Batch { fence: None, writes }).await.unwrap();
            tokio::task::yield_now().await;
        }
    };
    let (rotated, ()) = tokio::join!(rotator.rotate(), write);
    rotated.unwrap();
    for n in 0..ROWS {
        let sealed = store.secret(&row(n)).await.unwrap().unwrap();
        assert_eq!(vault.open(&row(n), &sealed).unwrap().expose(), b"newer");
    }
}

#[tokio::test]
async fn a_row_nobody_can_open_holds_only_its_key_up() {
    let (store, vault) = (MemoryStore::new(), FakeKeyring::with_key(1));
    filled(&store, &vault).await;
    let broken = SecretRef::new("owner-000", "broken");
    let sealed = Sealed(vec![1, 2, 3]);
    let writes = vec![Write::PutSecret { at: broken, sealed }];
    store.commit(Batch { fence: None, writes }).await.unwrap();
    let rotator = rotator(&store, &vault);
    rotator.begin().await.unwrap();
    let fault = rotator.rotate().await.unwrap_err();
    assert!(fault.cause.contains("broken"), "{fault}");
    let rows: Vec<u64> = rotator.keys().await.unwrap().iter().map(|key| key.rows).collect();
    assert_eq!(rows, [1, ROWS as u64]);
}

#[tokio::test]
async fn a_vault_that_cannot_open_what_is_stored_is_refused() {
    let (store, vault) = (MemoryStore::new(), FakeKeyring::with_key(1));
    filled(&store, &vault).await;
    let fault = rotator(&store, &FakeKeyring::with_key(2))
        .check()
        .await
        .unwrap_err();
    assert_eq!(fault.code, "vault-wrong-key");
}
