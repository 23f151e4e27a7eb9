//! What every vault whose master key can be replaced does.

use types::{FaultKind, Secret};

use super::{suite, told};
use crate::{
    Vault,
    vault::{Rotation, Sealed, SecretRef},
};

/// One platform instance, and another.
pub trait Bench: Sync {
    type Subject: Rotation;

    fn vault(&self) -> impl Future<Output = Self::Subject> + Send;

    /// The same vault after a restart of the platform.
    fn restarted(&self) -> impl Future<Output = Self::Subject> + Send;
}

suite!(
    "Rotation",
    Bench,
    [
        a_new_key_seals_and_the_old_one_opens,
        rewrapping_changes_the_key_and_nothing_else,
        what_does_not_open_is_not_rewrapped,
        a_dropped_key_is_gone_after_a_restart,
        the_key_that_seals_is_not_dropped,
    ]
);

const SECRET: &str = "hunter2 and more";

fn row() -> SecretRef {
    SecretRef::new("k8s-1", "ca")
}

fn seal(vault: &impl Vault) -> Sealed {
    vault.seal(&row(), &Secret::new(SECRET)).unwrap()
}

#[track_caller]
fn opens(vault: &impl Vault, sealed: &Sealed) {
    assert_eq!(vault.open(&row(), sealed).unwrap().expose(), SECRET.as_bytes());
}

async fn a_new_key_seals_and_the_old_one_opens(bench: &impl Bench) {
    let vault = bench.vault().await;
    let [first] = &vault.keys()[..] else {
        panic!("one key at first")
    };
    let old = seal(&vault);
    assert!(first.is_of(&old));
    let second = vault.add_key().await.unwrap();
    assert_ne!(*first, second);
    assert_eq!(vault.keys(), [first.clone(), second.clone()]);
    let new = seal(&vault);
    assert!(second.is_of(&new) && !first.is_of(&new));
    opens(&vault, &old);
    opens(&vault, &new);

    let restarted = bench.restarted().await;
    assert_eq!(restarted.keys(), vault.keys());
    opens(&restarted, &old);
    opens(&restarted, &new);
    assert!(second.is_of(&seal(&restarted)));
}

async fn rewrapping_changes_the_key_and_nothing_else(bench: &impl Bench) {
    let vault = bench.vault().await;
    let old = seal(&vault);
    assert_eq!(vault.rewrap(&row(), &old).unwrap(), None, "it is newest");
    vault.add_key().await.unwrap();
    let third = vault.add_key().await.unwrap();
    let new = vault
        .rewrap(&row(), &old)
        .unwrap()
        .expect("it was under an old key");
    assert!(third.is_of(&new), "under the newest, not the next");
    opens(&vault, &new);
    opens(&vault, &old);
    opens(&bench.restarted().await, &new);
    told(
        vault.open(&SecretRef::new("k8s-2", "ca"), &new),
        FaultKind::Refused,
        "vault-sealed-damaged",
    );
    assert_eq!(vault.rewrap(&row(), &new).unwrap(), None);
}

async fn what_does_not_open_is_not_rewrapped(bench: &impl Bench) {
    let vault = bench.vault().await;
    let old = seal(&vault);
    vault.add_key().await.unwrap();
    told(
        vault.rewrap(&SecretRef::new("k8s-2", "ca"), &old),
        FaultKind::Refused,
        "vault-sealed-damaged",
    );
    let cut = Sealed(old.0[..old.0.len() - 1].to_vec());
    told(
        vault.rewrap(&row(), &cut),
        FaultKind::Refused,
        "vault-sealed-damaged",
    );
}

async fn a_dropped_key_is_gone_after_a_restart(bench: &impl Bench) {
    let vault = bench.vault().await;
    let first = vault.keys().remove(0);
    let old = seal(&vault);
    let second = vault.add_key().await.unwrap();
    let new = vault.rewrap(&row(), &old).unwrap().unwrap();
    vault.drop_key(&first).await.unwrap();
    vault.drop_key(&first).await.expect("again changes nothing");
    assert_eq!(vault.keys(), [second]);
    opens(&vault, &old);
    let restarted = bench.restarted().await;
    opens(&restarted, &new);
    told(
        restarted.open(&row(), &old),
        FaultKind::Refused,
        "vault-wrong-key",
    );
}

async fn the_key_that_seals_is_not_dropped(bench: &impl Bench) {
    let vault = bench.vault().await;
    let only = vault.keys().remove(0);
    told(
        vault.drop_key(&only).await,
        FaultKind::Refused,
        "vault-key-in-use",
    );
    opens(&bench.restarted().await, &seal(&vault));
}
