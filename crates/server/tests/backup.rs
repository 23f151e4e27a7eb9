//! Backup and restore without a host: a state directory, its backup, and what is refused. Needs nothing but a disk.

use std::{
    fs,
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use ports::{
    Store, Vault,
    clock::SystemClock,
    store::{Batch, Write as Change},
    vault::{Rotation, SecretRef},
};
use server::{
    backup::{Backup, StateBackup, restore},
    config::Config,
    options::Overrides,
    state_dir::{StateDir, master_key},
};
use store::SqliteStore;
use types::{Fault, Secret};
use vault::{KeySource, KeyVault};

const PASSPHRASE: &str = "correct horse battery";

struct Site {
    dir: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        let site = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        fs::write(site.path("passphrase"), format!("{PASSPHRASE}\n")).unwrap();
        fs::write(site.path("cloudd.toml"), "").unwrap();
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn config(&self, state: &str) -> Config {
        let overrides = Overrides {
            state_dir: Some(self.path(state)),
            ..Overrides::default()
        };
        Config::load(Some(&self.path("cloudd.toml")), &overrides).unwrap()
    }

    async fn restore(&self, state: &str) -> Result<restore::Restored, Fault> {
        restore::run(
            &self.config(state),
            &self.path("backup"),
            &self.path("passphrase"),
        )
        .await
    }

    fn code(outcome: Result<restore::Restored, Fault>) -> String {
        let fault = outcome.err().expect("it is refused");
        assert!(!fault.remedy.is_empty());
        fault.code.into_owned()
    }
}

async fn keys(state: &Path) -> KeyVault {
    let path = master_key(state);
    KeyVault::open(KeySource::File { path }, true).await.unwrap()
}

fn row() -> SecretRef {
    SecretRef::new("k8s-1", "ca")
}

/// A platform's state with a secret in it, and a backup of it made while it is open.
async fn backed_up(site: &Site) -> StateDir {
    let state = StateDir::prepare(&site.path("state")).unwrap();
    fs::write(state.path().join("instance"), "abc234").unwrap();
    fs::write(state.auth().join("token.sha256"), "hash").unwrap();
    fs::write(state.auth().join("master.key.1.new"), "a draft").unwrap();
    fs::write(state.client_file(), "token = \"hunter2-token\"").unwrap();
    let path = master_key(state.path());
    let vault = KeyVault::open(KeySource::File { path }, false).await.unwrap();
    vault.add_key().await.unwrap();
    let store = SqliteStore::open(state.database()).await.unwrap();
    let sealed = vault.seal(&row(), &Secret::new("hunter2")).unwrap();
    let writes = vec![Change::PutSecret { at: row(), sealed }];
    store.commit(Batch { fence: None, writes }).await.unwrap();
    let backup = StateBackup {
        state: state.clone(),
        store: store.clone(),
        clock: Arc::new(SystemClock::default()),
    };
    let mut file = backup.make(Secret::new(PASSPHRASE)).await.unwrap();
    let mut content = Vec::new();
    file.read_to_end(&mut content).unwrap();
    fs::write(site.path("backup"), content).unwrap();
    assert_eq!(
        fs::read_dir(state.uploads()).unwrap().count(),
        0,
        "nothing is left"
    );
    store.close().await;
    state
}

#[tokio::test]
async fn what_was_there_is_there_again() {
    let site = Site::new();
    let state = backed_up(&site).await;
    let restored = site.restore("elsewhere").await.unwrap();
    assert_eq!(restored.files.len(), 5, "{:?}", restored.files);
    let again = site.path("elsewhere");
    for name in ["instance", "client.toml", "auth/token.sha256", "auth/master.key"] {
        assert_eq!(
            fs::read(again.join(name)).unwrap(),
            fs::read(state.path().join(name)).unwrap(),
            "{name}"
        );
        let mode = fs::metadata(again.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert!(!again.join("restore.new").exists() && !again.join("auth/master.key.1.new").exists());
    let store = SqliteStore::open(again.join("platform.db")).await.unwrap();
    let sealed = store.secret(&row()).await.unwrap().unwrap();
    assert_eq!(
        keys(&again).await.open(&row(), &sealed).unwrap().expose(),
        b"hunter2"
    );
}

#[tokio::test]
async fn only_what_was_lost_is_put_back_beside_what_stayed() {
    let site = Site::new();
    let state = backed_up(&site).await;
    fs::create_dir_all(state.path().join("volumes")).unwrap();
    fs::write(state.path().join("volumes/vol-1.img"), "data").unwrap();
    assert_eq!(Site::code(site.restore("state").await), "restore-occupied");
    for name in ["platform.db", "instance", "client.toml"] {
        fs::remove_file(state.path().join(name)).unwrap();
    }
    assert_eq!(
        Site::code(site.restore("state").await),
        "restore-occupied",
        "the keys are still there"
    );
    fs::remove_dir_all(state.auth()).unwrap();
    site.restore("state").await.unwrap();
    assert_eq!(
        fs::read_to_string(state.path().join("volumes/vol-1.img")).unwrap(),
        "data"
    );
}

#[tokio::test]
async fn nothing_in_the_file_is_in_clear_and_nothing_else_opens_it() {
    let site = Site::new();
    let state = backed_up(&site).await;
    let backup = fs::read(site.path("backup")).unwrap();
    let key = fs::read_to_string(master_key(state.path())).unwrap();
    let key = key.trim().rsplit(' ').next().unwrap();
    for word in ["hunter2", "abc234", key, "SQLite format"] {
        assert!(
            !backup.windows(word.len()).any(|window| window == word.as_bytes()),
            "{word}"
        );
    }
    fs::write(site.path("passphrase"), "another passphrase").unwrap();
    assert_eq!(Site::code(site.restore("b").await), "backup-unreadable");
    assert_eq!(
        fs::read_dir(site.path("b/auth")).unwrap().count(),
        0,
        "nothing was put there"
    );
    assert!(!site.path("b/restore.new").exists());

    fs::write(site.path("passphrase"), PASSPHRASE).unwrap();
    for cut in [10, backup.len() / 2, backup.len() - 1] {
        fs::write(site.path("backup"), &backup[..cut]).unwrap();
        assert!(site.restore("c").await.is_err(), "cut at {cut}");
        assert!(!site.path("c/platform.db").exists());
    }
    fs::write(site.path("backup"), &backup).unwrap();
    site.restore("c").await.expect("after all that");
}

/// Killed while files are moved to their places: cloudd does not run on half of it, and the restore is begun again.
#[tokio::test]
async fn half_a_restore_is_noticed_and_done_again() {
    let site = Site::new();
    backed_up(&site).await;
    let state = StateDir::prepare(&site.path("half")).unwrap();
    fs::create_dir_all(state.path().join("restore.new/auth")).unwrap();
    fs::write(state.path().join("instance"), "abc234").unwrap();
    assert_eq!(
        restore::refuse_half(&state).unwrap_err().code,
        "restore-unfinished"
    );
    site.restore("half").await.unwrap();
    restore::refuse_half(&state).unwrap();
    assert!(state.database().exists());
}

/// Somebody with the passphrase makes an archive that would write elsewhere.
#[tokio::test]
async fn an_archive_cannot_leave_its_place() {
    let site = Site::new();
    for name in ["auth/../../escaped", "machines/x", "auth/a/b", "/etc/passwd2"] {
        let writer = vault::SealedWriter::new(Vec::new(), &Secret::new(PASSPHRASE)).unwrap();
        let mut archive = tar::Builder::new(writer);
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(1);
        header.set_mode(0o600);
        header.set_cksum();
        archive.append(&header, &b"x"[..]).unwrap();
        let mut writer = archive.into_inner().unwrap();
        writer.flush().unwrap();
        fs::write(site.path("backup"), writer.finish().unwrap()).unwrap();
        assert_eq!(Site::code(site.restore("d").await), "backup-format", "{name}");
    }
    assert!(!site.path("escaped").exists());
}
