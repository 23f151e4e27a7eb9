//! What is said of a key that is not right. What opens and what does not is in the contract.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::*;

fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("master.key");
    (dir, path)
}

async fn open(path: &Path, expect_existing: bool) -> Result<KeyVault, Fault> {
    let path = path.to_owned();
    KeyVault::open(KeySource::File { path }, expect_existing).await
}

fn at(owner: &str, name: &str) -> SecretRef {
    SecretRef::new(owner, name)
}

fn code<T>(outcome: Result<T, Fault>) -> String {
    outcome.err().expect("it is refused").code.into_owned()
}

#[tokio::test]
async fn each_seal_has_its_own_key_and_no_draft_of_the_master_key_stays() {
    let (dir, path) = place();
    let row = at("k8s-1", "ca");
    let vault = open(&path, false).await.unwrap();
    let [first, second] = [(); 2].map(|()| vault.seal(&row, &Secret::new("hunter2")).unwrap());
    assert_ne!(first, second);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_newer_format_is_told_from_damage() {
    let (_dir, path) = place();
    let vault = open(&path, false).await.unwrap();
    let row = at("k8s-1", "ca");
    let mut newer = vault.seal(&row, &Secret::new("hunter2")).unwrap();
    newer.0[0] = 2;
    assert_eq!(code(vault.open(&row, &newer)), "vault-format-unknown");
}

#[tokio::test]
async fn a_lost_key_is_not_replaced() {
    let (_dir, path) = place();
    assert_eq!(code(open(&path, true).await), "vault-key-missing");
    assert!(!path.exists());
}

#[tokio::test]
async fn a_key_that_others_can_read_is_refused() {
    let (_dir, path) = place();
    open(&path, false).await.unwrap();
    for mode in [0o640, 0o604, 0o620, 0o601] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(code(open(&path, true).await), "vault-key-exposed", "{mode:o}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    open(&path, true).await.expect("narrower is fine");
}

#[tokio::test]
async fn a_key_of_the_wrong_size_is_refused_and_kept() {
    let (_dir, path) = place();
    open(&path, false).await.unwrap();
    let line = fs::read(&path).unwrap();
    let cut = &line[..line.len() - 1];
    let other = [b"00", &line[2..]].concat();
    for content in [&b""[..], &[7; 31], &[7; 33], cut, &other, b"a plain b\n"] {
        fs::write(&path, content).unwrap();
        assert_eq!(
            code(open(&path, false).await),
            "vault-key-damaged",
            "{} bytes",
            content.len()
        );
        assert_eq!(fs::read(&path).unwrap(), content);
    }
}

#[tokio::test]
async fn a_key_of_another_user_is_refused() {
    let (_dir, path) = place();
    open(&path, false).await.unwrap();
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&path, Some(12_345), None).unwrap();
        assert_eq!(code(open(&path, true).await), "vault-key-owner");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn first_starts_at_once_agree_on_one_key() {
    let (dir, path) = place();
    let row = at("k8s-1", "ca");
    let starts: tokio::task::JoinSet<KeyVault> = (0..8)
        .map(|_| {
            let path = path.clone();
            async move { open(&path, false).await.unwrap() }
        })
        .collect();
    let vaults = starts.join_all().await;
    let sealed = vaults[0].seal(&row, &Secret::new("hunter2")).unwrap();
    assert!(vaults.iter().all(|vault| vault.open(&row, &sealed).is_ok()));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn nothing_that_can_be_printed_shows_a_key_or_a_secret() {
    let (_dir, path) = place();
    let vault = open(&path, false).await.unwrap();
    let key = fs::read_to_string(&path).unwrap();
    let key = key.trim().rsplit(' ').next().unwrap().to_owned();
    assert_eq!(key.len(), 64);
    let secret = Secret::new("hunter2");
    let sealed = vault.seal(&at("k8s-1", "ca"), &secret).unwrap();
    let fault = vault.open(&at("k8s-2", "ca"), &sealed).unwrap_err();
    let shown = format!("{vault:?} {secret:?} {fault:?} {fault}");
    assert!(!shown.contains("hunter2") && !shown.contains(&key), "{shown}");
}

#[tokio::test]
async fn a_key_as_first_releases_made_it_is_taken_and_written_anew_when_replaced() {
    let (_dir, path) = place();
    fs::write(&path, [7u8; 32]).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let vault = open(&path, true).await.unwrap();
    let row = at("k8s-1", "ca");
    let old = vault.seal(&row, &Secret::new("hunter2")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), [7u8; 32], "untouched until then");
    vault.add_key().await.unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let again = open(&path, true).await.unwrap();
    assert_eq!((again.keys(), again.keys().len()), (vault.keys(), 2));
    assert_eq!(again.open(&row, &old).unwrap().expose(), b"hunter2");
}

async fn from_words(words: &str) -> Result<KeyVault, Fault> {
    let source = KeySource::Environment {
        name: "KEYS".to_owned(),
        value: Secret::new(words),
    };
    KeyVault::open(source, true).await
}

#[tokio::test]
async fn keys_of_the_environment_are_replaced_by_whoever_sets_it() {
    let (old, new) = ("ab".repeat(32), "cd".repeat(32));
    let row = at("k8s-1", "ca");
    let before = from_words(&old).await.unwrap();
    let sealed = before.seal(&row, &Secret::new("hunter2")).unwrap();
    assert_eq!(code(before.add_key().await), "vault-key-elsewhere");

    let both = from_words(&format!("{new}, {old}")).await.unwrap();
    let [first, second] = &both.keys()[..] else {
        panic!()
    };
    assert!(first.is_of(&sealed) && second.is_of(&both.seal(&row, &Secret::new("x")).unwrap()));
    let rewrapped = both.rewrap(&row, &sealed).unwrap().unwrap();
    both.drop_key(first).await.unwrap();
    assert_eq!(both.keys(), *std::slice::from_ref(second));
    let after = from_words(&new).await.unwrap();
    assert_eq!(after.open(&row, &rewrapped).unwrap().expose(), b"hunter2");

    let long = "a".repeat(65);
    for bad in ["", "abc", &long, &format!("{old},"), &"gg".repeat(32)] {
        let fault = from_words(bad).await.unwrap_err();
        assert_eq!(fault.code, "vault-key-environment", "{bad}");
        assert!(bad.is_empty() || !format!("{fault:?}").contains(bad));
    }
}
