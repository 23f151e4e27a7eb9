//! What is said of a key that is not right. What opens and what does not is in the contract.

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
fn each_seal_has_its_own_key_and_no_draft_of_the_master_key_stays() {
    let (dir, path) = place();
    let row = at("k8s-1", "ca");
    let vault = FileVault::open(&path, false).unwrap();
    let [first, second] = [(); 2].map(|()| vault.seal(&row, &Secret::new("hunter2")).unwrap());
    assert_ne!(first, second);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_newer_format_is_told_from_damage() {
    let (_dir, path) = place();
    let vault = FileVault::open(&path, false).unwrap();
    let row = at("k8s-1", "ca");
    let mut newer = vault.seal(&row, &Secret::new("hunter2")).unwrap();
    newer.0[0] = 2;
    assert_eq!(code(vault.open(&row, &newer)), "vault-format-unknown");
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
