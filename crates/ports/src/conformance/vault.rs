//! What every `Vault` does.

use types::{FaultKind, Secret};

use super::{suite, told};
use crate::{
    Vault,
    vault::{Sealed, SecretRef},
};

/// Two platform instances with a vault each.
pub trait Bench: Sync {
    type Subject: Vault;

    fn vault(&self) -> impl Future<Output = Self::Subject> + Send;

    /// The same vault after a restart of the platform.
    fn restarted(&self) -> impl Future<Output = Self::Subject> + Send;

    /// Of the other instance.
    fn neighbour(&self) -> impl Future<Output = Self::Subject> + Send;
}

suite!(
    "Vault",
    Bench,
    [
        what_is_sealed_opens_in_its_own_row,
        in_another_row_it_does_not_open,
        no_bit_can_be_changed_and_no_byte_left_out,
        another_instance_does_not_open_it,
        what_is_refused_tells_no_secret,
    ]
);

const SECRET: &str = "hunter2 and more";

fn row() -> SecretRef {
    SecretRef::new("k8s-1", "ca")
}

async fn what_is_sealed_opens_in_its_own_row(bench: &impl Bench) {
    let vault = bench.vault().await;
    let long = "x".repeat(100_000);
    for text in ["", SECRET, long.as_str(), "\0\u{7f}ä"] {
        let sealed = vault.seal(&row(), &Secret::new(text)).unwrap();
        assert_eq!(vault.open(&row(), &sealed).unwrap().expose(), text.as_bytes());
        assert_eq!(
            bench.restarted().await.open(&row(), &sealed).unwrap().expose(),
            text.as_bytes()
        );
    }
    let sealed = vault.seal(&row(), &Secret::new(SECRET)).unwrap();
    assert!(
        !sealed
            .0
            .windows(SECRET.len())
            .any(|window| window == SECRET.as_bytes()),
        "it is there in clear"
    );
}

/// Also where owner and name together read the same.
async fn in_another_row_it_does_not_open(bench: &impl Bench) {
    let vault = bench.vault().await;
    let sealed = vault
        .seal(&SecretRef::new("ab", "c"), &Secret::new(SECRET))
        .unwrap();
    for (owner, name) in [("ab", "d"), ("x", "c"), ("a", "bc"), ("abc", ""), ("", "abc")] {
        let outcome = vault.open(&SecretRef::new(owner, name), &sealed);
        told(outcome, FaultKind::Refused, "vault-sealed-damaged");
    }
}

async fn no_bit_can_be_changed_and_no_byte_left_out(bench: &impl Bench) {
    let vault = bench.vault().await;
    let sealed = vault.seal(&row(), &Secret::new(SECRET)).unwrap();
    for place in 0..sealed.0.len() {
        for bit in [0x01, 0x80] {
            let mut flipped = sealed.clone();
            flipped.0[place] ^= bit;
            let fault = vault.open(&row(), &flipped).expect_err("a bit was changed");
            assert_eq!(
                fault.kind,
                FaultKind::Refused,
                "byte {place}, bit {bit:#x}: {fault}"
            );
        }
        let cut = Sealed(sealed.0[..place].to_vec());
        assert!(vault.open(&row(), &cut).is_err(), "cut at {place}");
    }
    let longer = Sealed([&sealed.0[..], &[0]].concat());
    told(
        vault.open(&row(), &longer),
        FaultKind::Refused,
        "vault-sealed-damaged",
    );
}

async fn another_instance_does_not_open_it(bench: &impl Bench) {
    let sealed = bench.vault().await.seal(&row(), &Secret::new(SECRET)).unwrap();
    told(
        bench.neighbour().await.open(&row(), &sealed),
        FaultKind::Refused,
        "vault-wrong-key",
    );
}

async fn what_is_refused_tells_no_secret(bench: &impl Bench) {
    let vault = bench.vault().await;
    let sealed = vault.seal(&row(), &Secret::new(SECRET)).unwrap();
    let other = SecretRef::new("k8s-2", "kubelet");
    let fault = told(
        vault.open(&other, &sealed),
        FaultKind::Refused,
        "vault-sealed-damaged",
    );
    let shown = format!("{fault:?} {fault}");
    assert!(
        shown.contains("k8s-2") && shown.contains("kubelet"),
        "it names the row: {shown}"
    );
    assert!(!shown.contains("hunter2"), "{shown}");
}
