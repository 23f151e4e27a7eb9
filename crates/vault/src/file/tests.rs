//! What opens, what does not, and what is said of a key that is not right.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use super::*;

fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("master.key");
    (dir, path)
}

fn at(owner: &str, name: &str) -> SecretRef {
    SecretRef::new(owner, name)
}

fn code<T>(outcome: Result<T, Fault>) -> String {
    outcome.err().expect("it is refused").code.into_owned()
}

#[test]
fn what_is_sealed_opens_in_its_own_row_also_after_a_restart() {
    let (dir, path) = place();
    let row = at("k8s-1", "ca");
    let sealed = {
        let vault = FileVault::open(&path, false).unwrap();
        vault.seal(&row, &Secret::new("hunter2")).unwrap()
    };
    let vault = FileVault::open(&path, true).unwrap();
    assert_eq!(vault.open(&row, &sealed).unwrap().expose(), b"hunter2");
    assert!(!sealed.0.windows(7).any(|window| window == b"hunter2"));
    assert_ne!(
        vault.seal(&row, &Secret::new("hunter2")).unwrap(),
        sealed,
        "each seal has its own key"
    );
    let empty = vault.seal(&row, &Secret::new("")).unwrap();
    assert_eq!(vault.open(&row, &empty).unwrap().expose(), b"");

    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(
        fs::read_dir(dir.path()).unwrap().count(),
        1,
        "no draft of the key stays"
    );
}

#[test]
fn in_another_row_it_does_not_open() {
    let (_dir, path) = place();
    let vault = FileVault::open(&path, false).unwrap();
    let sealed = vault.seal(&at("ab", "c"), &Secret::new("hunter2")).unwrap();
    for other in [
        at("ab", "d"),
        at("x", "c"),
        at("a", "bc"),
        at("abc", ""),
        at("", "abc"),
    ] {
        assert_eq!(
            code(vault.open(&other, &sealed)),
            "vault-sealed-damaged",
            "{other:?}"
        );
    }
}

#[test]
fn no_bit_can_be_changed_and_no_byte_left_out() {
    let (_dir, path) = place();
    let vault = FileVault::open(&path, false).unwrap();
    let row = at("k8s-1", "ca");
    let sealed = vault.seal(&row, &Secret::new("hunter2")).unwrap();
    for place in 0..sealed.0.len() {
        for bit in [0x01, 0x80] {
            let mut flipped = sealed.clone();
            flipped.0[place] ^= bit;
            assert!(vault.open(&row, &flipped).is_err(), "byte {place}, bit {bit:#x}");
        }
        assert!(
            vault.open(&row, &Sealed(sealed.0[..place].to_vec())).is_err(),
            "cut at {place}"
        );
    }
    let longer = Sealed([&sealed.0[..], &[0]].concat());
    assert!(vault.open(&row, &longer).is_err());
    let mut newer = sealed;
    newer.0[0] = 2;
    assert_eq!(code(vault.open(&row, &newer)), "vault-format-unknown");
}

#[test]
fn another_key_is_named_as_the_reason() {
    let (dir, path) = place();
    let row = at("k8s-1", "ca");
    let sealed = FileVault::open(&path, false)
        .unwrap()
        .seal(&row, &Secret::new("hunter2"))
        .unwrap();
    let other = FileVault::open(dir.path().join("other.key"), false).unwrap();
    assert_eq!(code(other.open(&row, &sealed)), "vault-wrong-key");
}

#[test]
fn a_lost_key_is_not_replaced() {
    let (_dir, path) = place();
    assert_eq!(code(FileVault::open(&path, true)), "vault-key-missing");
    assert!(!path.exists());
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    let (_dir, path) = place();
    FileVault::open(&path, false).unwrap();
    for mode in [0o640, 0o604, 0o620, 0o601] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(
            code(FileVault::open(&path, true)),
            "vault-key-exposed",
            "{mode:o}"
        );
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    FileVault::open(&path, true).expect("narrower is fine");
}

#[test]
fn a_key_of_the_wrong_size_is_refused_and_kept() {
    let (_dir, path) = place();
    FileVault::open(&path, false).unwrap();
    for content in [&b""[..], &[7; 31], &[7; 33]] {
        fs::write(&path, content).unwrap();
        assert_eq!(
            code(FileVault::open(&path, false)),
            "vault-key-damaged",
            "{} bytes",
            content.len()
        );
        assert_eq!(fs::read(&path).unwrap(), content);
    }
}

#[test]
fn a_key_of_another_user_is_refused() {
    let (_dir, path) = place();
    FileVault::open(&path, false).unwrap();
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
        assert_eq!(code(FileVault::open(&path, true)), "vault-key-owner");
    }
}

#[test]
fn first_starts_at_once_agree_on_one_key() {
    let (dir, path) = place();
    let row = at("k8s-1", "ca");
    let vaults: Vec<FileVault> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| FileVault::open(&path, false).unwrap()))
            .collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    let sealed = vaults[0].seal(&row, &Secret::new("hunter2")).unwrap();
    assert!(vaults.iter().all(|vault| vault.open(&row, &sealed).is_ok()));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn nothing_that_can_be_printed_shows_a_key_or_a_secret() {
    let (_dir, path) = place();
    let vault = FileVault::open(&path, false).unwrap();
    let key = fs::read(&path).unwrap();
    let secret = Secret::new("hunter2");
    let sealed = vault.seal(&at("k8s-1", "ca"), &secret).unwrap();
    let fault = vault.open(&at("k8s-2", "ca"), &sealed).unwrap_err();
    let shown = format!("{vault:?} {secret:?} {fault:?} {fault}");
    let key_as_list = format!("{key:?}");
    assert!(
        !shown.contains("hunter2") && !shown.contains(key_as_list.trim_matches(['[', ']'])),
        "{shown}"
    );
}
